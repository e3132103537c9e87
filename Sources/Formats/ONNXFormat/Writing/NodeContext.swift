import Graph
import Operators

/// A node of the graph that is being written.
struct NodeContext {
  /// The node of the graph.
  let node: Graph.Node
  /// The writer that gets the ONNX nodes.
  let writer: GraphWriter

  init(_ node: Graph.Node, _ writer: GraphWriter) {
    self.node = node
    self.writer = writer
  }

  /// Returns an error for something that ONNX cannot express. The writer adds the operator's name before the sentence.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Inputs

  /// Returns the name of an input.
  func input(_ position: Int = 0) throws -> String {
    guard node.inputs.indices.contains(position) else {
      throw EngineError(.invalidModel, "input \(position + 1) is missing.")
    }
    return try writer.name(of: node.inputs[position])
  }

  /// Returns the names of all inputs.
  func inputs() throws -> [String] { try node.inputs.map { try writer.name(of: $0) } }

  /// Returns the values of a constant input. Nil if the input is not constant.
  func constant(_ position: Int) -> Constant? {
    guard node.inputs.indices.contains(position) else { return nil }
    return writer.types.constant(of: node.inputs[position])
      ?? writer.graph[node.inputs[position]].constant
  }

  /// Returns the type in which the graph stores an input.
  func element(_ position: Int = 0) -> ElementType {
    writer.types.element(of: node.inputs[position]) ?? .float32
  }

  /// The type in which the graph stores the first output.
  var outputElement: ElementType {
    node.outputs.first.flatMap { writer.types.element(of: $0) } ?? .float32
  }

  /// Returns the extents of an input. A dynamic extent is nil. Throws if the rank is unknown.
  func extents(_ position: Int = 0) throws -> [Int?] {
    guard let extents = writer.types.extents(of: node.inputs[position]) else {
      throw unsupported("the number of axes of input \(position + 1) is not known.")
    }
    return extents
  }

  /// Returns the number of axes of an input.
  func rank(_ position: Int = 0) throws -> Int { try extents(position).count }

  /// Returns the extents of an input. Throws if one of them is unknown.
  func shape(_ position: Int = 0) throws -> [Int] {
    let extents: [Int?] = try extents(position)
    let known: [Int] = extents.compactMap { $0 }
    guard known.count == extents.count else {
      throw unsupported("the shape of input \(position + 1) is not known.")
    }
    return known
  }

  /// Returns an axis as a non-negative number. A negative `axis` counts back from the last axis.
  func axis(_ axis: Int, rank: Int) -> Int { axis < 0 ? axis + rank : axis }

  // MARK: - Making

  /// Adds a node and returns the name of its only output.
  @discardableResult
  func emit(_ type: String, _ inputs: [String], _ attributes: NodeAttribute...) -> String {
    writer.emit(type, inputs, outputs: 1, attributes)[0]
  }

  /// Adds a node and returns the names of its outputs.
  func emit(
    _ type: String, _ inputs: [String], outputs: Int, _ attributes: [NodeAttribute] = []
  ) -> [String] {
    writer.emit(type, inputs, outputs: outputs, attributes)
  }

  /// Writes a constant vector of int64, and returns its name.
  func ints(_ values: [Int]) -> String { writer.ints(values) }

  /// Writes a constant number, and returns its name. The number has the element type of the input at `position`, or
  /// float32 if `position` is nil.
  func number(_ value: Double, like position: Int? = nil) -> String {
    writer.number(value, as: position.map { element($0) } ?? .float32)
  }

  /// Casts a value to another type.
  func cast(_ name: String, to element: ElementType) -> String {
    emit("Cast", [name], .int("to", Int(element.onnxNumber ?? 1)))
  }

  /// Returns the name of an input as int64. ONNX's shapes and indices have this type.
  func integerValues(_ position: Int) throws -> String {
    if let known = constant(position), let values = try? known.tensor() {
      return writer.ints(
        values.reals.map { Int(bounding: $0) }, known.shape.dimensions)
    }
    return cast(try input(position), to: .int64)
  }

  /// Casts truth values to the element type of an output.
  func held(_ truth: String, as element: ElementType) -> String { cast(truth, to: element) }

  /// Reshapes a value.
  func reshaped(_ name: String, to shape: [Int]) -> String {
    emit("Reshape", [name, ints(shape)])
  }

  /// Transposes a value so that its axes have the order `axes`.
  func transposed(_ name: String, _ axes: [Int]) -> String {
    axes == Array(axes.indices) ? name : emit("Transpose", [name], .ints("perm", axes))
  }

  /// Slices a range of one axis.
  func sliced(_ name: String, axis: Int, from begin: Int, to end: Int) -> String {
    emit("Slice", [name, ints([begin]), ints([end]), ints([axis])])
  }

  /// Returns the extents of a value as a vector.
  func shape(of name: String) -> String { emit("Shape", [name]) }

  /// Applies a closure to an input in the form of images `[N, C, H, W]`. An input of another rank is reshaped to this
  /// form first. Then the result is reshaped back.
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
