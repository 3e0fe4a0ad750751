"""Charts as plain SVG, readable on light and dark pages; equal input gives equal bytes."""
