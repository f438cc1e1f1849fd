"""What follows when somebody presses, types or sends something: decided once for every platform."""
