"""What isn't product: checks and measurements that run beside the site."""
