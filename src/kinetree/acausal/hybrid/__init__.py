"""What happens in components: events, sampled values, clocks."""
