import Foundation
import Graph
import Tensors

/// Reads TensorFlow Lite files.
public enum TensorFlowLiteReader: ModelReader {
  public static let formatName = "TensorFlow Lite"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    FlatBuffer.hasIdentifier(LiteModel.identifier, in: head)
  }

  /// The model in a file.
  ///
  /// Inputs and outputs have the file's names and shapes: pictures have their channels last. Quantised ones hold
  /// the real numbers that their codes stand for. Where extents are given that are not fixed, sizes that the file
  /// states for pictures on the way follow them.
  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let model = try LiteModel(contentsOf: url)
    do {
      return try model.graph(options)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }
}

/// The order of a picture's axes at the border of a graph.
package enum LiteBorder: Sendable {
  /// As the file has it: channels last.
  case written
  /// Channels in front of rows and columns, where the graph holds pictures so.
  case pictures
}

extension LiteModel {
  /// The graph of the model.
  ///
  /// - Parameters:
  ///   - options: extents in the place of the file's, by the inputs' names.
  ///   - border: the order of a picture's axes among inputs and outputs.
  package func graph(_ options: ReadingOptions = ReadingOptions(), border: LiteBorder = .written)
    throws -> GraphModel
  {
    let followsExtents: Bool = options.extents.values.contains { $0.contains { $0.fixed == nil } }
    let context = try LiteGraphBuilder(self, subgraph: 0, followsExtents: followsExtents)
    let main: Subgraph = context.subgraph
    var names = LiteNames()
    for tensor in main.inputs {
      try context.addInput(tensor, name: names.unique(context.name(of: tensor)), options, border)
    }
    try context.addOperations()
    for tensor in main.outputs {
      let value = try context.value(of: tensor)
      let facts: Tensor = main.tensors[tensor]
      let isPicture: Bool = border == .pictures && value.isPicture
      context.builder.addOutput(
        isPicture ? value.id : try context.written(tensor),
        name: names.unique(context.name(of: tensor)),
        element: facts.quantization == nil ? facts.element.border : .float32)
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
    _ tensor: Int, name: String, _ options: ReadingOptions, _ border: LiteBorder
  ) throws {
    let facts: LiteModel.Tensor = subgraph.tensors[tensor]
    guard facts.element.stored != nil else {
      throw EngineError(
        .unsupported, "The input '\(name)' is of type \(facts.element), which cannot be computed.")
    }
    var extents: [Extent] = zip(facts.shape, facts.isOpen).map { $1 ? Extent(from: 1) : Extent($0) }
    if let given = options.extents[name] {
      guard given.count == extents.count else {
        throw EngineError(
          .invalidInput,
          "The input '\(name)' has \(extents.count) axes, but \(given.count) extents are given.")
      }
      extents = given
    }
    let isPicture: Bool = border == .pictures && extents.count == 4 && isWantedAsPicture(tensor)
    let element: ElementType = facts.quantization == nil ? facts.element.border : .float32
    let id = builder.addInput(
      name, extents: isPicture ? LiteValue.pictureAxes.map { extents[$0] } : extents,
      element: element, held: facts.quantization == nil ? facts.element.held : .float32)
    try bind(
      tensor,
      to: LiteValue(
        id: id, isPicture: isPicture, grid: facts.quantization?.grid(of: facts.element)))
  }
}

extension LiteElement {
  /// The type at a graph's border: what callers give and get.
  fileprivate var border: ElementType {
    switch self {
    case .float16, .bfloat16, .float64: .float32
    default: stored ?? .float32
    }
  }
}

/// Names of inputs and outputs that callers can tell apart.
private struct LiteNames {
  private var taken: Set<String> = []

  /// A name, with a number where another has it.
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
