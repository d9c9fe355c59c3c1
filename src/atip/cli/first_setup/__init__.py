"""`atip init`: the clients of this machine, the changes to their files, and the record used to undo them."""
