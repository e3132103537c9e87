import Conversion
import Engine
import Foundation
import Operators

/// A network that paints a picture `[1, height, width, 3]` of 0…1 with a style vector, at any size.
struct PaintingGraph {
  /// The network's input for the style vector.
  let numbers: GraphModel.Feature
  /// The extents of the style vector.
  let numbersShape: [Int]
  private var model: GraphModel
  private let picture: Int

  /// Reads a network, and makes its rows and columns dynamic.
  init(contentsOf file: URL) throws {
    let stated: GraphModel = try ModelReaders.read(file)
    guard
      let picture = stated.inputs.firstIndex(where: { feature in
        let extents: [Int?] = feature.extents?.map(\.fixed) ?? []
        return extents.count == 4 && extents[3] == 3
      }), stated.inputs.count == 2, stated.outputs.count == 1
    else {
      throw StyleTransferError(
        .network,
        "'\(file.lastPathComponent)' does not paint with a style vector, expected a picture of 1 ×"
          + " height × width × 3, a vector, and one output.")
    }
    var options = ReadingOptions()
    options.extents[stated.inputs[picture].name] = [1, Extent(from: 32), Extent(from: 32), 3]
    model = try ModelReaders.read(file, options: options)
    model.inputs[picture].usual = stated.inputs[picture].extents?.compactMap(\.fixed)
    self.picture = picture
    numbers = model.inputs[1 - picture]
    numbersShape = numbers.extents?.compactMap(\.fixed) ?? []
  }

  /// Changes the input and the output to pictures of 0…255, and returns the model.
  mutating func withPictures() throws -> GraphModel {
    takePicture()
    givePicture()
    return model
  }

  private mutating func takePicture() {
    let inner: Graph.ValueID = model.graph.inputs[picture]
    let feature: GraphModel.Feature = model.inputs[picture]
    let outer: Graph.ValueID = model.graph.addValue(feature.name)
    model.graph[inner].name = "\(feature.name) rows"
    let port = Graph.ImagePort(.rgb, scale: [1, 1, 1].map { $0 / 255 })
    let readers: [Int] = model.graph.nodes.indices.filter {
      model.graph.nodes[$0].inputs.contains(inner)
    }
    // Pictures are channels-first, so transposes to channels-first at the start of the network are removed.
    let isTurned: Bool = readers.allSatisfy { position in
      let node: Graph.Node = model.graph.nodes[position]
      return (node.operation as? TransposeOperator)?.axes == [0, 3, 1, 2] && node.regions.isEmpty
    }
    if isTurned {
      let turned = Set(readers.flatMap { model.graph.nodes[$0].outputs })
      model.graph.nodes = model.graph.nodes.enumerated()
        .filter { !readers.contains($0.offset) }.map(\.element)
      for position in model.graph.nodes.indices {
        for input in model.graph.nodes[position].inputs.indices
        where turned.contains(model.graph.nodes[position].inputs[input]) {
          model.graph.nodes[position].inputs[input] = outer
        }
      }
    } else {
      model.graph.nodes.insert(
        Graph.Node(
          name: "\(feature.name) rows", operation: TransposeOperator(axes: [0, 2, 3, 1]),
          inputs: [outer], outputs: [inner]), at: 0)
    }
    model.graph.inputs[picture] = outer
    model.graph.imageInputs[outer] = port
    model.inputs[picture].image = port
    model.inputs[picture].extents = Self.turned(feature.extents)
    model.inputs[picture].usual = Self.turned(feature.usual)
  }

  private mutating func givePicture() {
    let inner: Graph.ValueID = model.graph.outputs[0]
    let feature: GraphModel.Feature = model.outputs[0]
    var source: Graph.ValueID = inner
    let writer: Graph.Node? = model.graph.nodes.first { $0.outputs == [inner] }
    if let writer, (writer.operation as? TransposeOperator)?.axes == [0, 2, 3, 1] {
      source = writer.inputs[0]
    } else {
      source = model.graph.addValue("\(feature.name) planes")
      model.graph.nodes.append(
        Graph.Node(
          name: "\(feature.name) planes", operation: TransposeOperator(axes: [0, 3, 1, 2]),
          inputs: [inner], outputs: [source]))
    }
    let painted: Graph.ValueID = model.graph.addValue("painting")
    model.graph.nodes.append(
      Graph.Node(
        name: "painting", operation: BinaryFunctionOperator(.multiply, number: 255),
        inputs: [source], outputs: [painted]))
    model.graph.outputs[0] = painted
    model.graph.imageOutputs[painted] = Graph.ImagePort(.rgb)
    model.outputs[0].image = Graph.ImagePort(.rgb)
    model.outputs[0].name = "painting"
    model.outputs[0].extents = Self.turned(feature.extents)
    model.outputs[0].usual = nil
  }

  private static func turned<Number>(_ extents: [Number]?) -> [Number]? {
    guard let extents, extents.count == 4 else { return extents }
    return [0, 3, 1, 2].map { extents[$0] }
  }
}
