import Graph
import Operators
import Tensors

/// Builds the graph of a subgraph, operator by operator.
final class LiteGraphBuilder {
  /// The file.
  let model: LiteModel
  /// The subgraph that is being read.
  let subgraph: LiteModel.Subgraph
  /// The graph under construction.
  let builder: GraphBuilder
  /// The number of subgraphs that enclose this subgraph.
  let depth: Int
  /// Whether image sizes that the file states as constants are scaled with the dynamic extents of the model's inputs.
  let followsExtents: Bool
  private let table: LiteOperatorTable
  private let pictures: Set<Int>
  private var values: [Int: LiteValue] = [:]
  /// The graph may store a tensor in both axis orders. Then `values` has the tensor in one order, and this dictionary
  /// has it in the other order. So a tensor is transposed only once, for all operators that read it.
  private var transposed: [Int: Graph.ValueID] = [:]

  /// Makes a builder of a subgraph. The subgraph may be nested in another subgraph.
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
      throw EngineError(.invalidModel, "graphs run each other more than 16 deep, or in a cycle.")
    }
    self.model = model
    self.table = table
    self.followsExtents = followsExtents
    subgraph = model.subgraphs[index]
    builder = GraphBuilder(inside: parent?.builder)
    pictures = subgraph.pictures(table)
  }

  // MARK: - Tensors

  /// Returns the value of a tensor in the graph.
  func value(of tensor: Int) throws -> LiteValue {
    if let known = values[tensor] { return known }
    let tensorInFile: LiteModel.Tensor = subgraph.tensors[tensor]
    guard tensorInFile.isConstant else {
      throw EngineError(
        .invalidModel,
        "it reads tensor '\(name(of: tensor))', which no input and no earlier operator makes.")
    }
    let value = LiteValue(
      id: builder.addConstant(try tensorInFile.constant(), name: name(of: tensor)),
      grid: tensorInFile.quantization?.grid(of: tensorInFile.element), constant: tensorInFile)
    values[tensor] = value
    return value
  }

  /// Returns whether an operator on channels-first images reads the tensor. It may read the tensor directly, or through
  /// operators that accept any axis order.
  func isWantedAsPicture(_ tensor: Int) -> Bool { pictures.contains(tensor) }

  /// Binds a tensor to a value of the graph. If a later operator needs the tensor in channels-first order, binds it to
  /// the transposed value.
  func bind(_ tensor: Int, to value: LiteValue) throws {
    values[tensor] = value
    if pictures.contains(tensor), !value.isPicture, builder.rank(of: value.id) == 4 {
      var asPicture: LiteValue = value
      asPicture.id = try picture(tensor)
      asPicture.isPicture = true
      values[tensor] = asPicture
      transposed[tensor] = value.id
    }
  }

  /// Returns a tensor in the file's axis order.
  func written(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    guard value.isPicture else { return value.id }
    if let known = transposed[tensor] { return known }
    let made = try transpose(value.id, axes: LiteValue.writtenAxes, name(of: tensor))
    transposed[tensor] = made
    return made
  }

  /// Returns a tensor of four axes as a channels-first image `[N, C, H, W]`.
  func picture(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    if value.isPicture { return value.id }
    if let known = transposed[tensor] { return known }
    let made: Graph.ValueID
    if let tensorInFile = value.constant {
      guard tensorInFile.shape.count == 4 else { throw noPicture(tensor, tensorInFile.shape.count) }
      made = builder.addConstant(
        try tensorInFile.constant(axes: LiteValue.pictureAxes), name: name(of: tensor))
    } else {
      if let rank = builder.rank(of: value.id), rank != 4 { throw noPicture(tensor, rank) }
      made = try transpose(value.id, axes: LiteValue.pictureAxes, name(of: tensor))
    }
    transposed[tensor] = made
    return made
  }

  private func noPicture(_ tensor: Int, _ rank: Int) -> EngineError {
    EngineError(
      .invalidModel, "tensor '\(name(of: tensor))' has \(rank) axes, expected 4.")
  }

  /// Returns a tensor of at most four axes, reshaped and transposed so that it broadcasts with channels-first images.
  func broadcast(_ tensor: Int) throws -> Graph.ValueID {
    let value: LiteValue = try value(of: tensor)
    if value.isPicture { return value.id }
    let extents: [Int?] =
      builder.extents(of: value.id) ?? subgraph.tensors[tensor].shape.map { $0 }
    if extents.count == 4 { return try picture(tensor) }
    guard extents.count < 4 else { throw noPicture(tensor, extents.count) }
    if extents.allSatisfy({ $0 == 1 }) && extents.count < 2 { return value.id }
    if let known = transposed[tensor] { return known }
    let made: Graph.ValueID
    if let tensorInFile = value.constant {
      made = builder.addConstant(
        try tensorInFile.padded(toRank: 4).constant(axes: LiteValue.pictureAxes),
        name: name(of: tensor))
    } else {
      let wide: [Int?] = [Int?](repeating: 1, count: 4 - extents.count) + extents
      let shaped = try builder.add(
        ReshapeStaticOperator(targetShape: wide.map { $0 ?? -1 }), value.id,
        name: "\(name(of: tensor))/axes")
      made = try transpose(shaped, axes: LiteValue.pictureAxes, name(of: tensor))
    }
    transposed[tensor] = made
    return made
  }

  /// Returns a value with its axes in another order. If the new order moves no element in memory, only reshapes the
  /// value.
  func transpose(_ value: Graph.ValueID, axes: [Int], _ name: String) throws -> Graph.ValueID {
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

  /// Returns the name of a tensor in messages and listings.
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
        if !reader.isCustom { try context.requireKnownOptions() }
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

  /// Applies the fused activation to a result. If the tensor is quantised, also rounds the result to the tensor's
  /// quantisation grid. Omits the rounding if the result is known to be on this grid.
  private func finished(_ result: LiteResult, _ tensor: Int) throws -> LiteValue {
    let tensorInFile: LiteModel.Tensor = subgraph.tensors[tensor]
    let name: String = name(of: tensor)
    let grid: QuantizedGrid? = tensorInFile.quantization?.grid(of: tensorInFile.element)
    var id: Graph.ValueID = result.id
    if let grid, grid != result.grid {
      var bounds: ClosedRange<Float> = -.infinity ... .infinity
      if let clamped = result.activation.bounds {
        bounds = clamped
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
  /// Adds operators that round real numbers to the nearest number of a quantisation grid, and clamp them to the grid's
  /// range and to `bounds`. If `isInSteps` is true, the input is the real numbers divided by the grid's scale.
  func quantized(
    _ value: Graph.ValueID, to grid: QuantizedGrid,
    within bounds: ClosedRange<Float> = -.infinity ... .infinity, isInSteps: Bool = false,
    name: String
  ) throws -> Graph.ValueID {
    let least = max(
      Float(grid.range.lowerBound - grid.zero), (bounds.lowerBound / grid.scale).rounded())
    let most = min(
      Float(grid.range.upperBound - grid.zero), (bounds.upperBound / grid.scale).rounded())
    let steps =
      isInSteps
      ? value
      : try add(
        BinaryFunctionOperator(.multiply, number: 1 / grid.scale), value, name: "\(name)/steps")
    let roundedSteps = try add(UnaryFunctionOperator(.round), steps, name: "\(name)/rounded")
    let clamped = try add(
      ClipOperator(minimum: min(least, most), maximum: most), roundedSteps, name: "\(name)/integer")
    return try add(
      BinaryFunctionOperator(.multiply, number: grid.scale), clamped, name: name)
  }
}
