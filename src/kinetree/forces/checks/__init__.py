"""What forces refuse: signs of numbers, laws of energies."""
