"""Work that waits as rows while its broker forgets everything and stops, with real workers and a real broker."""
