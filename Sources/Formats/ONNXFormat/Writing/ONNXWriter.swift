import Foundation
import Graph
import ModelFormat
import Operators

/// Writes ONNX models of opset 18.
///
/// Images become tensors `[1, channels, height, width]` with values from 0 to 255. The written model includes the
/// scaling of images. ``PortMetadata`` marks the tensors as images. The writer throws for custom layers, states and
/// random numbers.
public enum ONNXWriter: ModelWriter {
  public static let formatName = "ONNX"
  public static let pathExtension = "onnx"
  /// The version of the opset of the written models.
  public static let opset = 18

  public static func write(_ model: GraphModel, to url: URL, options: WritingOptions) throws {
    try message(for: model).write(to: url)
  }

  /// Returns the model as a message.
  public static func message(for model: GraphModel) throws -> ONNX.ModelProto {
    guard model.graph.states.isEmpty else {
      throw EngineError(
        .unsupported, "The model has states between predictions, which ONNX cannot express.")
    }
    var result = ONNX.ModelProto()
    // The version of ONNX's file format that belongs to opset 18.
    result.irVersion = 8
    result.producerName = "atelier"
    var set = ONNX.OperatorSetIdProto()
    set.version = Int64(opset)
    result.opsetImport = [set]
    result.docString = model.metadata.summary
    let properties: [(String, String)] =
      [
        ("author", model.metadata.author), ("license", model.metadata.license),
        ("version", model.metadata.version),
      ]
      + model.metadata.other.merging(try PortMetadata(of: model).properties) { $1 }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    result.metadataProps = properties.filter { !$0.1.isEmpty }.map { key, value in
      var entry = ONNX.StringStringEntryProto()
      (entry.key, entry.value) = (key, value)
      return entry
    }
    result.graph = try ModelGraphWriter(model).graph()
    return result
  }
}

/// Writes a model's inputs and outputs, and the graph between them.
private struct ModelGraphWriter {
  let model: GraphModel
  let writer: GraphWriter

  init(_ model: GraphModel) {
    self.model = model
    let taken: [String] = (model.inputs + model.outputs).map(\.name)
    writer = GraphWriter(
      model.graph, KnownTypes(of: model), UniqueNames(reserved: taken, separator: "_"))
  }

  func graph() throws -> ONNX.GraphProto {
    var result = ONNX.GraphProto()
    result.name = "main"
    for (value, stated) in zip(model.graph.inputs, model.inputs) {
      let isPicture: Bool = stated.image != nil || model.graph.imageInputs[value] != nil
      let feature: GraphModel.Feature = plain(stated, isPicture: isPicture)
      result.input.append(info(feature, isPicture: isPicture))
      var name: String = feature.name
      if feature.element != feature.held {
        name = writer.emit("Cast", [name], .int("to", try Int(number(of: feature.held))))
      }
      if let image = feature.image ?? model.graph.imageInputs[value] {
        let shape: [Int] = [1, image.channels, 1, 1]
        if image.scale.contains(where: { $0 != 1 }) {
          name = writer.emit("Mul", [name, writer.floats(image.scale, shape)])
        }
        if image.bias.contains(where: { $0 != 0 }) {
          name = writer.emit("Add", [name, writer.floats(image.bias, shape)])
        }
      }
      writer.bind(value, to: name)
    }
    try writer.writeNodes()
    for (value, stated) in zip(model.graph.outputs, model.outputs) {
      let isPicture: Bool = stated.image != nil || model.graph.imageOutputs[value] != nil
      let feature: GraphModel.Feature = plain(stated, isPicture: isPicture)
      let held: ElementType = writer.types.element(of: value) ?? feature.held
      let name: String = try writer.name(of: value)
      if feature.element != held {
        writer.emit(
          "Cast", [name], into: feature.name, .int("to", try Int(number(of: feature.element))))
      } else {
        writer.emit("Identity", [name], into: feature.name)
      }
      result.output.append(info(feature, isPicture: isPicture))
    }
    result.node = writer.nodes
    result.initializer = writer.constants
    return result
  }

  /// Returns the feature. An image becomes a `float32` tensor that is neither rounded nor clamped.
  private func plain(_ feature: GraphModel.Feature, isPicture: Bool) -> GraphModel.Feature {
    var result: GraphModel.Feature = feature
    if isPicture { (result.element, result.held) = (.float32, .float32) }
    return result
  }

  private func number(of element: ElementType) throws -> Int32 {
    guard let number = element.onnxNumber else {
      throw EngineError(.unsupported, "ONNX has no element type \(element).")
    }
    return number
  }

  private func info(_ feature: GraphModel.Feature, isPicture: Bool) -> ONNX.ValueInfoProto {
    var tensor = ONNX.TypeProto.Tensor()
    tensor.elemType = feature.element.onnxNumber ?? 1
    if let extents = feature.extents {
      var shape = ONNX.TensorShapeProto()
      shape.dim = extents.enumerated().map { axis, extent in
        var dimension = ONNX.TensorShapeProto.Dimension()
        dimension.value =
          extent.fixed.map { .dimValue(Int64($0)) }
          ?? .dimParam(extent.symbol ?? "\(feature.name)_\(axis)")
        if isPicture, extents.count == PortMetadata.pictureAxes.count {
          dimension.denotation = PortMetadata.pictureAxes[axis]
        }
        return dimension
      }
      tensor.shape = shape
    }
    var result = ONNX.ValueInfoProto()
    result.name = feature.name
    result.docString = feature.summary
    result.type = ONNX.TypeProto()
    result.type?.value = .tensorType(tensor)
    if isPicture { result.type?.denotation = PortMetadata.picture }
    return result
  }
}
