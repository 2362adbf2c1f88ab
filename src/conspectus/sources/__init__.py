"""Papers from the world: found by services on the internet, kept as files of the library, and followed.

A paper that was found online is a record in a file of the library's folder (`online_folder`), which `add` reads like
any other. So the origin of each field, merging, removing and undoing are what they are for all files.
"""
