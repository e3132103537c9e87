import Foundation
import Graph
import Tensors

/// Reads TensorFlow Lite files.
public enum TensorFlowLiteReader: ModelReader {
  public static let formatName = "TensorFlow Lite"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    FlatBuffer.hasIdentifier(LiteModel.identifier, in: head)
  }

  /// Reads the model in a file.
  ///
  /// Inputs and outputs have the file's names and shapes, so images have their channels last. A quantised input or
  /// output holds the real numbers that its integers represent. If the caller gives dynamic extents, image sizes within
  /// the model scale with these extents.
  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let model = try LiteModel(contentsOf: url)
    do {
      return try model.graph(options)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }
}

/// The axis order of the images among a graph's inputs and outputs.
package enum LiteAxisOrder: Sendable {
  /// The file's order: channels last.
  case written
  /// Channels before rows and columns, for the images that the graph stores in this order. All other images keep the
  /// file's order.
  case pictures
}

extension LiteModel {
  /// Returns the model as a graph with its inputs and outputs.
  ///
  /// - Parameters:
  ///   - options: The options of the caller. Their extents replace the file's extents of the inputs, by name.
  ///   - axisOrder: The axis order of the images among the inputs and outputs.
  package func graph(
    _ options: ReadingOptions = ReadingOptions(), axisOrder: LiteAxisOrder = .written
  )
    throws -> GraphModel
  {
    let followsExtents: Bool = options.extents.values.contains { $0.contains { $0.fixed == nil } }
    let context = try LiteGraphBuilder(self, subgraph: 0, followsExtents: followsExtents)
    let main: Subgraph = context.subgraph
    var names = LiteNames()
    for tensor in main.inputs {
      try context.addInput(tensor, name: names.unique(context.name(of: tensor)), options, axisOrder)
    }
    try context.addOperations()
    for tensor in main.outputs {
      let value = try context.value(of: tensor)
      let tensorInFile: Tensor = main.tensors[tensor]
      let isPicture: Bool = axisOrder == .pictures && value.isPicture
      context.builder.addOutput(
        isPicture ? value.id : try context.written(tensor),
        name: names.unique(context.name(of: tensor)),
        element: tensorInFile.quantization == nil ? tensorInFile.element.atInterface : .float32)
    }
    var made: GraphModel = context.builder.model()
    for (position, value) in made.graph.outputs.enumerated() {
      made.outputs[position].held = context.builder.element(of: value) ?? .float32
    }
    made.metadata.summary = description
    return made
  }
}

extension LiteGraphBuilder {
  fileprivate func addInput(
    _ tensor: Int, name: String, _ options: ReadingOptions, _ axisOrder: LiteAxisOrder
  ) throws {
    let tensorInFile: LiteModel.Tensor = subgraph.tensors[tensor]
    guard tensorInFile.element.stored != nil else {
      throw EngineError(
        .unsupported,
        "The input '\(name)' has the type \(tensorInFile.element), which is not supported.")
    }
    var extents: [Extent] = zip(tensorInFile.shape, tensorInFile.isOpen).map {
      $1 ? Extent(from: 1) : Extent($0)
    }
    if let given = options.extents[name] {
      guard given.count == extents.count else {
        throw EngineError(
          .invalidInput,
          "The input '\(name)' has \(extents.count) axes, but \(given.count) extents are given.")
      }
      extents = given
    }
    let isPicture: Bool = axisOrder == .pictures && extents.count == 4 && isWantedAsPicture(tensor)
    let element: ElementType =
      tensorInFile.quantization == nil ? tensorInFile.element.atInterface : .float32
    let id = builder.addInput(
      name, extents: isPicture ? LiteValue.pictureAxes.map { extents[$0] } : extents,
      element: element,
      held: tensorInFile.quantization == nil ? tensorInFile.element.held : .float32)
    try bind(
      tensor,
      to: LiteValue(
        id: id, isPicture: isPicture,
        grid: tensorInFile.quantization?.grid(of: tensorInFile.element)))
  }
}

extension LiteElement {
  /// The element type in which callers pass or receive an input or output of this type.
  fileprivate var atInterface: ElementType {
    switch self {
    case .float16, .bfloat16, .float64: .float32
    default: stored ?? .float32
    }
  }
}

/// Gives unique names to inputs and outputs.
private struct LiteNames {
  private var taken: Set<String> = []

  /// Returns a unique name: `name`, or `name` with a number if another input or output has that name.
  mutating func unique(_ name: String) -> String {
    var made: String = name
    var number = 2
    while !taken.insert(made).inserted {
      made = "\(name) \(number)"
      number += 1
    }
    return made
  }
}
