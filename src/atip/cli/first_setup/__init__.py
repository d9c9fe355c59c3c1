"""`atip init`: the clients of this machine, the changes of their files, and the record that takes them back."""
