import Foundation

/// A Core ML model on disk or in memory: its description, and the location of its weights.
///
/// Opening maps the file and reads its structure. Weights are slices of the mapping. The system reads their bytes from
/// disk on first access.
public struct ModelFile: Sendable {
  /// The newest specification version that this module supports.
  public static let newestSpecificationVersion: Int32 = 10

  /// The content of the file.
  public let model: Spec.Model
  /// The file or package folder that was opened. Nil for a model from memory.
  public let url: URL?
  /// The file with the specification: `url` itself, or a file in the folder `url`.
  public let specificationURL: URL?
  /// The folder `weights` next to the specification, if the folder exists.
  public let weightsDirectory: URL?
  /// The model's name in errors: `'x.mlmodel'`.
  public let name: String

  /// The folder that must contain all weight files. Nil for a model in a single file.
  let packageRoot: URL?
  private let blobMapping: [URL: ByteValues]

  /// Opens a `.mlmodel` file, a `.mlpackage` folder, or a `.mlmodelc` folder. A `.mlmodelc` folder from `compile` may
  /// contain any model. A folder from Apple's compiler can be opened only if it contains an ML Program.
  public static func open(_ url: URL) throws -> ModelFile {
    let name = "'\(url.lastPathComponent)'"
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
      throw ModelFormatError(
        code: .unreadable, message: "Model \(name): there is no such file: \(url.path).")
    }
    guard isDirectory.boolValue else {
      return try ModelFile(modelAt: url, opened: url, name: name, packageRoot: nil)
    }
    let manager = FileManager.default
    guard !isEncrypted(url) else {
      throw ModelFormatError(
        code: .unsupported,
        message: "Model \(name) is encrypted. Load it with its key: --key FILE, or"
          + " MLModelConfiguration.decryptionKey; nothing else can be done with it.")
    }
    if manager.fileExists(atPath: url.appendingPathComponent("Manifest.json").path) {
      try requireOwnFiles(url, name: name)
      let package = try ModelPackage(url)
      return try ModelFile(
        modelAt: package.model, opened: url, name: name, packageRoot: package.data)
    }
    if let kind = try CompiledModel.kind(of: url, name: name) {
      try requireOwnFiles(url, name: name)
      switch kind {
      case .message:
        let model: URL = url.appendingPathComponent(CompiledModel.modelName)
        return try ModelFile(modelAt: model, opened: url, name: name, packageRoot: url)
      case .text:
        return try ModelFile(textIn: url, name: name)
      }
    }
    throw ModelFormatError(
      code: .notAModel,
      message: "Model \(name) is a folder without a Manifest.json; expected a .mlmodel file, a "
        + ".mlpackage, or a .mlmodelc that Atelier compiled.")
  }

  /// Returns whether a folder holds an encrypted model.
  package static func isEncrypted(_ url: URL) -> Bool {
    FileManager.default.fileExists(
      atPath: url.appendingPathComponent(CompiledModel.encryptedName).path)
  }

  private static func requireOwnFiles(_ folder: URL, name: String) throws {
    guard let link = FolderLinks.leadingOut(of: folder) else { return }
    throw ModelFormatError(
      code: .badPackage,
      message: "Model \(name): '\(link)' is a link that leads out of its folder. Replace the link "
        + "by the file itself.")
  }

  /// Reads a model from memory, with its weight files.
  ///
  /// - Parameter blobMapping: The weight files of an ML Program, by URL. For each path that the program states, the
  ///   model uses the file whose key ends with this path. If no key does, the model uses the only file with the same
  ///   file name.
  public init(data: Data, blobMapping: [URL: Data] = [:], name: String = "in memory") throws {
    let bytes: ByteValues = data.withUnsafeBytes { ByteValues(copying: $0) }
    try self.init(memory: bytes, blobMapping: blobMapping, name: name)
  }

  /// Reads a model from memory, with its weight files.
  public init(bytes: [UInt8], blobMapping: [URL: Data] = [:], name: String = "in memory") throws {
    try self.init(memory: ByteValues(bytes), blobMapping: blobMapping, name: name)
  }

  private init(memory: ByteValues, blobMapping: [URL: Data], name: String) throws {
    try self.init(
      memory: memory,
      blobs: blobMapping.mapValues { data in
        data.withUnsafeBytes { ByteValues(copying: $0) }
      }, name: name)
  }

  /// Reads a model from memory without copying it. `blobs` maps URLs to weight files.
  package init(memory: ByteValues, blobs: [URL: ByteValues], name: String) throws {
    model = try ModelFile.decode(memory, name: name)
    url = nil
    specificationURL = nil
    weightsDirectory = nil
    packageRoot = nil
    self.name = name
    blobMapping = blobs
  }

  /// Returns the weight files of the model, each with its path relative to the specification's folder:
  /// `weights/weight.bin`. Empty for a model in a single file.
  package func weightFiles() throws -> [(path: String, bytes: ByteValues)] {
    guard let weightsDirectory else { return [] }
    let paths: [String] = try FileManager.default.subpathsOfDirectory(
      atPath: weightsDirectory.path)
    return try paths.sorted().compactMap { path in
      let file: URL = weightsDirectory.appendingPathComponent(path)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
        !isFolder.boolValue
      else { return nil }
      return (
        "\(weightsDirectory.lastPathComponent)/\(path)", try MappedFile(path: file.path).bytes
      )
    }
  }

  private init(modelAt path: URL, opened url: URL, name: String, packageRoot: URL?) throws {
    let file: MappedFile
    do {
      file = try MappedFile(path: path.path)
    } catch let error as ModelFormatError {
      throw ModelFormatError(
        code: error.code, message: "Model \(name): \(error.message)", cause: error)
    }
    model = try file.whileReadingStructure { try ModelFile.decode($0, name: name) }
    self.url = url
    self.name = name
    self.packageRoot = packageRoot
    specificationURL = path
    weightsDirectory = packageRoot.flatMap { _ in Self.weightsDirectory(beside: path) }
    blobMapping = [:]
  }

  /// Reads a compiled ML Program from its text and from other files in the same folder.
  private init(textIn folder: URL, name: String) throws {
    let text: URL = folder.appendingPathComponent(CompiledModel.textName)
    model = try CompiledModel.readText(in: folder, name: name)
    try model.checkDeclaredSizes(name: name)
    url = folder
    self.name = name
    packageRoot = folder
    specificationURL = text
    weightsDirectory = Self.weightsDirectory(beside: text)
    blobMapping = [:]
  }

  private static func weightsDirectory(beside model: URL) -> URL? {
    let weights: URL = model.deletingLastPathComponent().appendingPathComponent(
      "weights", isDirectory: true)
    var isDirectory: ObjCBool = false
    let exists: Bool = FileManager.default.fileExists(
      atPath: weights.path, isDirectory: &isDirectory)
    return exists && isDirectory.boolValue ? weights : nil
  }

  /// The folder that `@model_path` means in the names of weight files.
  public var modelDirectory: URL? { specificationURL?.deletingLastPathComponent() }

  /// Maps the weight file with this name in an ML Program, such as `@model_path/weights/weight.bin`. Store the result:
  /// every call maps the file again.
  public func blobFile(named fileName: String) throws -> BlobFile {
    let path: String = Self.blobPath(fileName)
    guard let file = try blobFileURL(named: fileName) else {
      guard let bytes = mappedBlob(path) else {
        throw ModelFormatError(
          code: .badWeights,
          message: "Model \(name): the weight file '\(fileName)' is missing; a model from memory "
            + "or from a single file needs it in its blob mapping.")
      }
      return try BlobFile(bytes: bytes, name: "'\(path)'")
    }
    return try BlobFile(bytes: MappedFile(path: file.path).bytes, name: "'\(path)'")
  }

  /// Returns the location of the weight file with this name in an ML Program. Nil if the model is not in a folder.
  func blobFileURL(named fileName: String) throws -> URL? {
    guard let modelDirectory, let packageRoot else { return nil }
    let file: URL = modelDirectory.appendingPathComponent(Self.blobPath(fileName))
    guard file.lies(within: packageRoot) else {
      throw ModelFormatError(
        code: .badPackage,
        message: "Model \(name): the weight file '\(fileName)' is outside of the package.")
    }
    return file
  }

  /// Returns the path of a weight file relative to the model's folder.
  private static func blobPath(_ fileName: String) -> String {
    let prefix = "@model_path/"
    return String(fileName.hasPrefix(prefix) ? fileName.dropFirst(prefix.count) : fileName[...])
  }

  private func mappedBlob(_ path: String) -> ByteValues? {
    let wanted: ArraySlice<String> = path.split(separator: "/").map(String.init)[...]
    if let exact = blobMapping.first(where: {
      $0.key.pathComponents.suffix(wanted.count) == wanted
    }) {
      return exact.value
    }
    let sameName = blobMapping.filter { $0.key.lastPathComponent == wanted.last }
    return sameName.count == 1 ? sameName.first?.value : nil
  }

  private static func decode(_ bytes: ByteValues, name: String) throws -> Spec.Model {
    guard !bytes.isEmpty else {
      throw ModelFormatError(
        code: .notAModel, message: "Model \(name) is empty (0 bytes), expected a Core ML model.")
    }
    let model: Spec.Model
    do {
      model = try Spec.Model(serialized: bytes, name: name)
    } catch let error as ModelFormatError {
      // A Core ML file begins with the specification version (field 1, a number). If the file's writer put the version
      // later, the file begins with the description (field 2).
      let beginsAsOurs: Bool = bytes[0] == 0x08 || bytes[0] == 0x12
      if beginsAsOurs, !ForeignFile.isForeign(bytes, name: name) { throw error }
      throw notAModel(bytes, name: name, cause: error)
    }
    let isOther: Bool = model.type == nil && ForeignFile.isForeign(bytes, name: name)
    guard model.specificationVersion > 0, !isOther else {
      throw notAModel(bytes, name: name, cause: nil)
    }
    try model.checkDeclaredSizes(name: name)
    return model
  }

  private static func notAModel(_ bytes: ByteValues, name: String, cause: (any Error)?)
    -> ModelFormatError
  {
    let kind = ForeignFile(bytes, name: name)
    return ModelFormatError(
      code: .notAModel,
      message: "Model \(name) is not a Core ML model: \(kind.sentence). \(kind.wayOut)",
      cause: cause)
  }
}
