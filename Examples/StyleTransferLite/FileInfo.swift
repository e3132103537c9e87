/// The folder, the name and the extension of a model file.
typealias FileInfo = (folder: String, name: String, extension: String)
