import Foundation

/// Recognises files that are not Core ML models by the files' first bytes, protobuf fields and names.
enum ForeignFile {
  case caffe, caffeText, onnx, keras, tensorFlow, tensorFlowLite, torch, safetensors
  /// A file that holds no model. The string describes the file.
  case other(String)
  case unknown([UInt8])

  /// Recognises a file by its bytes and its name. The name may be in quotation marks.
  init(_ bytes: ByteValues, name: String) {
    self = Self.byContent(bytes, name) ?? Self.byName(name) ?? .unknown(Array(bytes.prefix(4)))
  }

  /// Returns whether the bytes or the name show that the file is something other than a Core ML model. The caller has
  /// found that the file begins like a Core ML model.
  static func isForeign(_ bytes: ByteValues, name: String) -> Bool {
    byContent(bytes, name) != nil || byName(name) != nil
  }

  /// A clause that says what the file is.
  var sentence: String {
    switch self {
    case .caffe: "it is a Caffe model"
    case .caffeText: "it is the description (.prototxt) of a Caffe model"
    case .onnx: "it is an ONNX model"
    case .keras: "it is an HDF5 file, perhaps a Keras model"
    case .tensorFlow: "it is a TensorFlow graph"
    case .tensorFlowLite: "it is a TensorFlow Lite model"
    case .torch: "it is a PyTorch file"
    case .safetensors: "it is a safetensors file, which holds weights and no network"
    case .other(let phrase): "it is \(phrase)"
    case .unknown(let start):
      "it has no specification version and begins with "
        + start.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        .joined(separator: " ")
    }
  }

  /// A sentence that says what the user can do with the file.
  var wayOut: String {
    switch self {
    case .caffe, .caffeText:
      "Convert the .caffemodel with its .prototxt: atelier convert NET.caffemodel --with NET.prototxt "
        + "-o NET.mlpackage."
    case .onnx, .tensorFlowLite, .keras: "Convert it: atelier convert MODEL -o MODEL.mlpackage."
    case .tensorFlow:
      "Convert it with coremltools.convert, or save it as TensorFlow Lite or Keras for atelier convert."
    case .torch:
      "Convert it with coremltools.convert, or export it with torch.onnx.export for atelier convert."
    case .safetensors: "Convert the model that it belongs to."
    case .other, .unknown: "Give a .mlmodel file or a .mlpackage."
    }
  }

  // MARK: Recognition

  private static func byContent(_ bytes: ByteValues, _ name: String) -> ForeignFile? {
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      // A PyTorch file is a ZIP archive. Only its name distinguishes it from other archives.
      if case .torch? = byName(name) { return .torch }
      return .other("a ZIP archive; unpack it first")
    }
    let known: [([UInt8], ForeignFile)] = [
      ([0xFF, 0xD8, 0xFF], .other("a JPEG picture")),
      ([0x89, 0x50, 0x4E, 0x47], .other("a PNG picture")), ([0x89, 0x48, 0x44, 0x46], .keras),
      ([0x25, 0x50, 0x44, 0x46], .other("a PDF document")),
      ([0x1F, 0x8B], .other("a gzip archive; unpack it first")),
      ([0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46], .torch),
    ]
    if let match = known.first(where: { bytes.starts(with: $0.0) }) { return match.1 }
    if bytes.count >= 8, bytes.dropFirst(4).starts(with: Array("TFL3".utf8)) {
      return .tensorFlowLite
    }
    return byFields(bytes)
  }

  /// Recognises a protobuf message of another framework by its field numbers.
  private static func byFields(_ bytes: ByteValues) -> ForeignFile? {
    var reader = WireReader(bytes)
    var kinds: [UInt32: UInt8] = [:]
    var count = 0
    while !reader.isAtEnd, count < 1000 {
      guard let number = try? reader.readKey(), let field = try? reader.unknownField(),
        let first = field.first
      else { break }
      kinds[number] = first & 7
      count += 1
    }
    // The field numbers of each message. ModelProto: ir_version = 1, graph = 7. NetParameter: name = 1, layers = 2,
    // layer = 100. GraphDef: node = 1, versions = 4. Core ML's Model: specificationVersion = 1, a number.
    if kinds[1] == 0, kinds[7] == 2 { return .onnx }
    guard kinds[1] == 2 || kinds[1] == nil else { return nil }
    if kinds[1] == 2, kinds[100] != nil { return .caffe }
    if kinds[1] == 2, kinds[2] == 2, kinds[4] == nil { return .caffe }
    if kinds[1] == 2, count > 1, Set(kinds.keys).isSubset(of: [1, 2, 3, 4]) { return .tensorFlow }
    return nil
  }

  private static func byName(_ name: String) -> ForeignFile? {
    let file: String = name.trimmingCharacters(in: ["'"])
    return switch URL(fileURLWithPath: file).pathExtension.lowercased() {
    case "caffemodel": .caffe
    case "prototxt": .caffeText
    case "onnx": .onnx
    case "h5", "hdf5", "keras": .keras
    case "pb", "pbtxt": .tensorFlow
    case "tflite": .tensorFlowLite
    case "pt", "pth", "torchscript", "ckpt": .torch
    case "safetensors": .safetensors
    default: nil
    }
  }
}
