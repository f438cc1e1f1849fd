"""What whoever runs Citewell sees of it while it runs: health, numbers, traces. Nothing here answers anything."""
