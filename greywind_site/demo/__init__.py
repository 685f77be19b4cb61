"""The demo project: one agent with three threads of work and talk, made by the same verbs as everything else."""

from greywind_site.demo.credentials import DemoCredentials
from greywind_site.demo.seeding import ensure_demo

__all__ = ["DemoCredentials", "ensure_demo"]
