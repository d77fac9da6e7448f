package workspace

// openWithoutBlocking is nothing on Windows, which has no FIFOs among files.
const openWithoutBlocking = 0
