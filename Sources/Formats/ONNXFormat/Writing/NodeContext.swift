import Graph
import Operators

/// One node of a graph while it is written.
struct NodeContext {
  /// The node.
  let node: Graph.Node
  /// Where its nodes go.
  let writer: GraphWriter

  init(_ node: Graph.Node, _ writer: GraphWriter) {
    self.node = node
    self.writer = writer
  }

  /// An error that ONNX cannot say what the operator does; its name goes in front.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Inputs

  /// The name of an input.
  func input(_ position: Int = 0) throws -> String {
    guard node.inputs.indices.contains(position) else {
      throw EngineError(.invalidModel, "input \(position + 1) is missing.")
    }
    return try writer.name(of: node.inputs[position])
  }

  /// The names of all inputs.
  func inputs() throws -> [String] { try node.inputs.map { try writer.name(of: $0) } }

  /// The values of an input that is constant.
  func constant(_ position: Int) -> Constant? {
    guard node.inputs.indices.contains(position) else { return nil }
    return writer.types.constant(of: node.inputs[position])
      ?? writer.graph[node.inputs[position]].constant
  }

  /// The type in which the graph holds an input.
  func element(_ position: Int = 0) -> ElementType {
    writer.types.element(of: node.inputs[position]) ?? .float32
  }

  /// The type in which the graph holds an output.
  var outputElement: ElementType {
    node.outputs.first.flatMap { writer.types.element(of: $0) } ?? .float32
  }

  /// The extents of an input, nil for those that are free.
  func extents(_ position: Int = 0) throws -> [Int?] {
    guard let extents = writer.types.extents(of: node.inputs[position]) else {
      throw unsupported("the number of axes of input \(position + 1) is not known.")
    }
    return extents
  }

  /// The number of axes of an input.
  func rank(_ position: Int = 0) throws -> Int { try extents(position).count }

  /// The extents of an input that must be known.
  func shape(_ position: Int = 0) throws -> [Int] {
    let extents: [Int?] = try extents(position)
    let known: [Int] = extents.compactMap { $0 }
    guard known.count == extents.count else {
      throw unsupported("the shape of input \(position + 1) is not known.")
    }
    return known
  }

  /// An axis counted from the first.
  func axis(_ axis: Int, rank: Int) -> Int { axis < 0 ? axis + rank : axis }

  // MARK: - Making

  /// Adds a node; the name of its only output.
  @discardableResult
  func emit(_ type: String, _ inputs: [String], _ attributes: NodeAttribute...) -> String {
    writer.emit(type, inputs, outputs: 1, attributes)[0]
  }

  /// Adds a node; the names of its outputs.
  func emit(
    _ type: String, _ inputs: [String], outputs: Int, _ attributes: [NodeAttribute] = []
  ) -> [String] {
    writer.emit(type, inputs, outputs: outputs, attributes)
  }

  /// Whole numbers of 64 bits that do not change.
  func ints(_ values: [Int]) -> String { writer.ints(values) }

  /// A number as the graph holds an input's elements.
  func number(_ value: Double, like position: Int? = nil) -> String {
    writer.number(value, as: position.map { element($0) } ?? .float32)
  }

  /// A value as another type.
  func cast(_ name: String, to element: ElementType) -> String {
    emit("Cast", [name], .int("to", Int(element.onnxNumber ?? 1)))
  }

  /// An input as whole numbers of 64 bits, as shapes and places are given.
  func wholes(_ position: Int) throws -> String {
    if let known = constant(position), let values = try? known.tensor() {
      return writer.ints(
        values.reals.map { Int(bounding: $0) }, known.shape.dimensions)
    }
    return cast(try input(position), to: .int64)
  }

  /// Truth values as the graph holds an output's elements.
  func held(_ truth: String, as element: ElementType) -> String { cast(truth, to: element) }

  /// A value read under another shape.
  func reshaped(_ name: String, to shape: [Int]) -> String {
    emit("Reshape", [name, ints(shape)])
  }

  /// A value with its axes in another order.
  func transposed(_ name: String, _ axes: [Int]) -> String {
    axes == Array(axes.indices) ? name : emit("Transpose", [name], .ints("perm", axes))
  }

  /// A range of one axis.
  func sliced(_ name: String, axis: Int, from begin: Int, to end: Int) -> String {
    emit("Slice", [name, ints([begin]), ints([end]), ints([axis])])
  }

  /// The extents of a value.
  func shape(of name: String) -> String { emit("Shape", [name]) }

  /// What a closure makes of pictures `[N, C, H, W]`; other ranks are read as such, and back.
  func asPictures(_ position: Int = 0, _ make: (String) throws -> String) throws -> String {
    let rank: Int = try rank(position)
    let name: String = try input(position)
    if rank == 4 { return try make(name) }
    guard rank >= 3 else {
      throw unsupported("the input has \(rank) axes, expected 3 or more.")
    }
    let all: String = shape(of: name)
    let last: String = emit("Slice", [all, ints([rank - 3]), ints([rank])])
    let picture: String = emit(
      "Reshape", [name, emit("Concat", [ints([-1]), last], .int("axis", 0))])
    let made: String = try make(picture)
    let leading: String =
      rank == 3 ? "" : emit("Slice", [all, ints([0]), ints([rank - 3])])
    let tail: String = emit("Slice", [shape(of: made), ints([1]), ints([4])])
    return emit(
      "Reshape",
      [made, rank == 3 ? tail : emit("Concat", [leading, tail], .int("axis", 0))])
  }
}
