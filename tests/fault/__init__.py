"""What happens when things go wrong: kills, power cuts, crowds, full disks, damaged files, wrong keys."""
