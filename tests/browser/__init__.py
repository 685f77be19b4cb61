"""The console as people meet it: in a real browser, over every page, with and without script."""
