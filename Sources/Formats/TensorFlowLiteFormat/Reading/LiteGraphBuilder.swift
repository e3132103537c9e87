import Graph
import Operators
import Tensors

/// Builds the graph of a subgraph operator by operator.
final class LiteGraphBuilder {
  /// The file.
  let model: LiteModel
  /// The part of it that is read.
  let subgraph: LiteModel.Subgraph
  /// The graph so far.
  let builder: GraphBuilder
  /// How many subgraphs are around.
  let depth: Int
  /// Whether sizes that the file states for pictures follow the extents of its inputs, where those are free.
  let followsExtents: Bool
  private let table: LiteOperatorTable
  private let pictures: Set<Int>
  private var values: [Int: LiteValue] = [:]
  /// What was held in the other order as well, by the tensor: once for all who read it.
  private var turned: [Int: Graph.ValueID] = [:]

  /// A builder of a subgraph, perhaps inside of another.
  init(
    _ model: LiteModel, subgraph index: Int, followsExtents: Bool,
    inside parent: LiteGraphBuilder? = nil, table: LiteOperatorTable = .standard
  ) throws {
    guard model.subgraphs.indices.contains(index) else {
      throw EngineError(
        .invalidModel,
        "it runs graph \(index) of \(model.subgraphs.count). The file may be damaged.")
    }
    depth = (parent?.depth ?? 0) + 1
    guard depth <= 16 else {
      throw EngineError(.invalidModel, "graphs run each other more than 16 deep, or in a circle.")
    }
    self.model = model
    self.table = table
    self.followsExtents = followsExtents
    subgraph = model.subgraphs[index]
    builder = GraphBuilder(inside: parent?.builder)
    pictures = subgraph.pictures(table)
  }

  // MARK: - Tensors

  /// What a tensor is in the graph.
  func value(of tensor: Int) throws -> LiteValue {
    if let known = values[tensor] { return known }
    let facts: LiteModel.Tensor = subgraph.tensors[tensor]
    guard facts.isConstant else {
      throw EngineError(
        .invalidModel,
        "it reads tensor '\(name(of: tensor))', which no input and no earlier operator makes.")
    }
    let value = LiteValue(
      id: builder.addConstant(try facts.constant(), name: name(of: tensor)),
      grid: facts.quantization?.grid(of: facts.element), constant: facts)
    values[tensor] = value
    return value
  }

  /// Whether an operator on pictures reads the tensor, directly or through others that take any order.
  func isWantedAsPicture(_ tensor: Int) -> Bool { pictures.contains(tensor) }

  /// Lets a tensor be a value of the graph; a picture where one is wanted later.
  func bind(_ tensor: Int, to value: LiteValue) throws {
    values[tensor] = value
    if pictures.contains(tensor), !value.isPicture, builder.rank(of: value.id) == 4 {
      var asPicture: LiteValue = value
      asPicture.id = try picture(tensor)
      asPicture.isPicture = true
      values[tensor] = asPicture
      turned[tensor] = value.id
    }
  }

  /// A tensor in the file's order.
  func written(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    guard value.isPicture else { return value.id }
    if let known = turned[tensor] { return known }
    let made = try turn(value.id, axes: LiteValue.writtenAxes, name(of: tensor))
    turned[tensor] = made
    return made
  }

  /// A tensor of four axes as a picture.
  func picture(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    if value.isPicture { return value.id }
    if let known = turned[tensor] { return known }
    let made: Graph.ValueID
    if let facts = value.constant {
      guard facts.shape.count == 4 else { throw noPicture(tensor, facts.shape.count) }
      made = builder.addConstant(
        try facts.constant(axes: LiteValue.pictureAxes), name: name(of: tensor))
    } else {
      if let rank = builder.rank(of: value.id), rank != 4 { throw noPicture(tensor, rank) }
      made = try turn(value.id, axes: LiteValue.pictureAxes, name(of: tensor))
    }
    turned[tensor] = made
    return made
  }

  private func noPicture(_ tensor: Int, _ rank: Int) -> EngineError {
    EngineError(
      .invalidModel, "tensor '\(name(of: tensor))' has \(rank) axes, expected 4.")
  }

  /// A tensor of any number of axes so that it can be broadcast against pictures.
  func broadcast(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    if value.isPicture { return value.id }
    let extents: [Int?] =
      builder.extents(of: value.id) ?? subgraph.tensors[tensor].shape.map { $0 }
    if extents.count == 4 { return try picture(tensor) }
    guard extents.count < 4 else { throw noPicture(tensor, extents.count) }
    if extents.allSatisfy({ $0 == 1 }) && extents.count < 2 { return value.id }
    if let known = turned[tensor] { return known }
    let made: Graph.ValueID
    if let facts = value.constant {
      made = builder.addConstant(
        try facts.padded(toRank: 4).constant(axes: LiteValue.pictureAxes), name: name(of: tensor))
    } else {
      let wide: [Int?] = [Int?](repeating: 1, count: 4 - extents.count) + extents
      let shaped = try builder.add(
        ReshapeStaticOperator(targetShape: wide.map { $0 ?? -1 }), value.id,
        name: "\(name(of: tensor))/axes")
      made = try turn(shaped, axes: LiteValue.pictureAxes, name(of: tensor))
    }
    turned[tensor] = made
    return made
  }

  /// A value with its axes in another order. Where no value has to move, the shape alone changes.
  func turn(_ value: Graph.ValueID, axes: [Int], _ name: String) throws -> Graph.ValueID {
    if let extents = builder.extents(of: value) {
      let wide: [Int] = axes.filter { extents[$0] != 1 }
      if wide == wide.sorted(), extents.filter({ $0 == nil }).count <= 1 {
        return try builder.add(
          ReshapeStaticOperator(targetShape: axes.map { extents[$0] ?? -1 }), value,
          name: "\(name)/order")
      }
    }
    return try builder.add(TransposeOperator(axes: axes), value, name: "\(name)/order")
  }

  /// The name of a tensor in sentences and listings.
  func name(of tensor: Int) -> String {
    let name: String = subgraph.tensors[tensor].name
    return name.isEmpty ? "tensor \(tensor)" : name
  }

  // MARK: - Operators

  /// Adds the operators of the subgraph.
  func addOperations() throws {
    for operation in subgraph.operations {
      let name: String = operation.outputs.first.map(name(of:)) ?? ""
      builder.origin = Graph.Node.Origin(kind: operation.kind, name: name)
      defer { builder.origin = nil }
      do {
        guard let reader = table[operation] else {
          throw EngineError(
            .unsupported,
            "operators of this kind are not supported yet; Documentation/TensorFlowLite.md lists"
              + " those that are.")
        }
        let context = LiteOperation(operation, name: name, in: self)
        if !reader.isCustom { try context.requireKnownSettings() }
        let results: [LiteResult] = try reader.read(context)
        guard results.count == operation.outputs.count else {
          throw EngineError(
            .invalidModel,
            "it makes \(results.count) tensors, but the file names \(operation.outputs.count).")
        }
        for (tensor, result) in zip(operation.outputs, results) {
          try bind(tensor, to: try finished(result, tensor))
        }
      } catch let error as EngineError {
        throw error.naming(operation.kind, name)
      }
    }
  }

  /// A result with the function that follows it, as a number that the tensor's type can hold.
  private func finished(_ result: LiteResult, _ tensor: Int) throws -> LiteValue {
    let facts: LiteModel.Tensor = subgraph.tensors[tensor]
    let name: String = name(of: tensor)
    let grid: QuantizedGrid? = facts.quantization?.grid(of: facts.element)
    var id: Graph.ValueID = result.id
    if let grid, grid != result.grid {
      var bounds: ClosedRange<Float> = -.infinity ... .infinity
      if let kept = result.activation.bounds {
        bounds = kept
      } else if let function = try result.activation.operation() {
        id = try builder.add(function, id, name: "\(name)/activation")
      }
      id = try builder.quantized(
        id, to: grid, within: bounds, isInSteps: result.isInSteps, name: name)
    } else if let function = try result.activation.operation() {
      id = try builder.add(function, id, name: name)
    }
    if builder.graph.nodes.last?.outputs.contains(id) ?? false { builder.rename(id, to: name) }
    return LiteValue(
      id: id, isPicture: result.isPicture, grid: grid ?? result.grid,
      constant: id == result.id ? result.constant : nil)
  }
}

extension GraphBuilder {
  /// Real numbers as the codes of a tensor can hold them: the nearest of a grid, within its range.
  func quantized(
    _ value: Graph.ValueID, to grid: QuantizedGrid,
    within bounds: ClosedRange<Float> = -.infinity ... .infinity, isInSteps: Bool = false,
    name: String
  ) throws -> Graph.ValueID {
    let least = max(
      Float(grid.codes.lowerBound - grid.zero), (bounds.lowerBound / grid.scale).rounded())
    let most = min(
      Float(grid.codes.upperBound - grid.zero), (bounds.upperBound / grid.scale).rounded())
    let steps =
      isInSteps
      ? value
      : try add(
        BinaryFunctionOperator(.multiply, number: 1 / grid.scale), value, name: "\(name)/steps")
    let whole = try add(UnaryFunctionOperator(.round), steps, name: "\(name)/whole")
    let kept = try add(
      ClipOperator(minimum: min(least, most), maximum: most), whole, name: "\(name)/code")
    return try add(
      BinaryFunctionOperator(.multiply, number: grid.scale), kept, name: name)
  }
}
