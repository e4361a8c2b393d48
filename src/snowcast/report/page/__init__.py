"""The page of a report: one file, nothing loaded from anywhere. `build.py` puts it together.

`model.js` and `ring.js` are pure, `timeline.js` draws and plays, `main.js` begins. There is no
build step but that the modules are joined into one script.
"""
