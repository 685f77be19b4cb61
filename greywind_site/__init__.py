"""Composition root: settings, routes, checks, the embedded services and the commands."""
