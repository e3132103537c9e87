import Foundation
import Graph
import ModelFormat

/// Reads ONNX models of opset 7 or later, with external data files.
public enum ONNXReader: ModelReader {
  public static let formatName = "ONNX"

  /// Returns whether a file is an ONNX model. A file with the extension `.onnx` is one. A file with one of Core ML's
  /// extensions is none. Any other file is one if its first bytes contain the word `onnx`, and if its first two fields
  /// are the format's version and a string or a message.
  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    if url.pathExtension.lowercased() == "onnx" { return true }
    // The first field, `ir_version = 1`, is a number. The next field is one of the fields 2 to 8, and holds a string or
    // a message.
    guard head.count > 4, head[0] == 0x08, head[1] < 0x20 else { return false }
    return [0x12, 0x1A, 0x22, 0x32, 0x3A, 0x42].contains(head[2])
      && !["mlmodel", "mlpackage", "mlmodelc"].contains(url.pathExtension.lowercased())
      && String(decoding: head.dropFirst(4), as: UTF8.self).contains("onnx")
  }

  public static func read(_ url: URL, options: ReadingOptions = ReadingOptions()) throws
    -> GraphModel
  {
    do {
      let file = try MappedFile(path: url.path)
      return try read(
        file.bytes, name: "'\(url.lastPathComponent)'", folder: url.deletingLastPathComponent(),
        options: options)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    }
  }

  /// Reads a model in memory.
  ///
  /// - Parameters:
  ///   - name: The model's name in errors.
  ///   - folder: The folder of external data files. Nil if there is none.
  public static func read(
    _ bytes: ByteValues, name: String, folder: URL? = nil,
    options: ReadingOptions = ReadingOptions()
  ) throws -> GraphModel {
    let model: ONNX.ModelProto
    do {
      model = try ONNX.ModelProto(serialized: bytes, name: name)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    }
    guard let graph = model.graph else {
      throw EngineError(
        .invalidModel,
        "Model \(name) has no graph. It is not an ONNX model, or the file is truncated.")
    }
    return try ModelGraph(model, graph, folder: folder, options: options).read()
  }
}

/// A model's graph that is being read.
private struct ModelGraph {
  let model: ONNX.ModelProto
  let graph: ONNX.GraphProto
  let options: ReadingOptions
  let builder = GraphBuilder()
  let scope: GraphScope

  init(
    _ model: ONNX.ModelProto, _ graph: ONNX.GraphProto, folder: URL?, options: ReadingOptions
  ) throws {
    self.model = model
    self.graph = graph
    self.options = options
    let versions: [String: Int] = model.opsetImport.versions
    if let version = versions[""], version < 7 {
      throw EngineError(
        .unsupported,
        "the model uses opset \(version), expected 7 or later; convert it with onnx.version_converter."
      )
    }
    scope = GraphScope(builder, ModelContext(model, folder: folder), opsets: versions)
  }

  func read() throws -> GraphModel {
    let constants = Set(graph.initializer.map(\.name))
    for input in graph.input where !constants.contains(input.name) { try add(input) }
    try scope.add(graph)
    guard !graph.output.isEmpty else {
      throw EngineError(.invalidModel, "the graph '\(graph.name)' has no outputs.")
    }
    for output in graph.output {
      let tensor: ONNXTensor = try scope.output(output.name)
      builder.addOutput(
        tensor.id, name: output.name, element: tensor.element, summary: output.docString)
    }
    var result: GraphModel = builder.model()
    try result.requireDistinctNames()
    result.metadata.summary = model.docString
    for entry in model.metadataProps where !PortMetadata.holds(entry.key) {
      switch entry.key {
      case "author": result.metadata.author = entry.value
      case "license": result.metadata.license = entry.value
      case "version": result.metadata.version = entry.value
      default: result.metadata.other[entry.key] = entry.value
      }
    }
    let pictures = Set(
      (graph.input + graph.output).filter { $0.type?.denotation == PortMetadata.picture }
        .map(\.name))
    PortMetadata(model.metadataProps).apply(
      to: &result, isPicture: { pictures.contains($0) },
      isStated: { options.extents[$0] != nil })
    return result
  }

  private func add(_ input: ONNX.ValueInfoProto) throws {
    switch input.type?.value {
    case .tensorType(let tensor)?:
      do {
        let element = try ElementType(onnx: tensor.elemType)
        let extents: [Extent]? = options.extents[input.name] ?? tensor.shape?.extents
        let value: Graph.ValueID = builder.addInput(
          input.name, extents: extents, element: element, held: element.heldFromONNX,
          summary: input.docString)
        scope.bind(input.name, to: .tensor(ONNXTensor(value, element)))
      } catch let error as EngineError {
        throw EngineError(error.code, "Input '\(input.name)': \(error.message)")
      }
    case let other?:
      let kinds: [String: String] = [
        "sequenceType": "a sequence", "mapType": "a map", "optionalType": "an optional value",
        "sparseTensorType": "a sparse tensor",
      ]
      throw EngineError(
        .unsupported,
        "Input '\(input.name)' is \(kinds[other.fieldName] ?? "no tensor"), expected a tensor.")
    case nil:
      throw EngineError(.invalidModel, "Input '\(input.name)' has no type.")
    }
  }
}

extension ONNX.TensorShapeProto {
  /// The extents that the file states. Dimensions that have the same name have the same extent.
  var extents: [Extent] {
    dim.map { dimension in
      switch dimension.value {
      case .dimValue(let value)? where value > 0:
        return Extent(Int(clamping: min(value, 1 << 40)))
      case .dimValue(0)?: return Extent(0)
      case .dimParam(let name)? where !name.isEmpty: return Extent(symbol: name)
      default: return Extent()
      }
    }
  }
}
