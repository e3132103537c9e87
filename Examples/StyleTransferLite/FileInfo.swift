/// A file of a model: its name and what the name ends in.
typealias FileInfo = (folder: String, name: String, extension: String)
