"""Transcripts of other tools, read as streams of events. Pure: no database, no settings, no clock.

`reading.read_transcript` is the way in; each format has one adapter beside it.
"""
