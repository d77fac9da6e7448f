package disk

// Deafen makes a Watch work as where the system has no events to be trusted.
func Deafen(w *Watch) {
	if w.events != nil {
		w.events.close()
		w.events = nil
	}
}

// Coarse reports that a Watch has given up what is deep in packages.
func Coarse(w *Watch) bool { return w.coarse }

// Hears reports that a Watch relies on events, those of packages included.
func Hears(w *Watch) bool { return w.events != nil && !w.deaf }
