import Graph
import ModelFormat
import Operators

/// Writes the nodes of one graph: the graph of a model or of a region. The nodes of a region can use the names of the
/// outer graph.
final class GraphWriter {
  /// The graph.
  let graph: Graph
  /// The known types of the graph's values.
  let types: KnownTypes
  /// The unique names of the file. The writers of all its graphs share this object.
  let names: UniqueNames
  /// The nodes written so far.
  private(set) var nodes: [ONNX.NodeProto] = []
  /// The constants written so far.
  private(set) var constants: [ONNX.TensorProto] = []
  private var bound: [Graph.ValueID: String] = [:]
  /// The name from which `emit` makes the names of new nodes and of their outputs.
  var current = "value"

  init(_ graph: Graph, _ types: KnownTypes, _ names: UniqueNames) {
    self.graph = graph
    self.types = types
    self.names = names
  }

  // MARK: - Names

  /// Binds a value to a name.
  func bind(_ value: Graph.ValueID, to name: String) { bound[value] = name }

  /// Returns the name of a value. If the value is a constant, the first call writes the constant.
  func name(of value: Graph.ValueID) throws -> String {
    if let known = bound[value] { return known }
    guard let constant = graph[value].constant else {
      throw EngineError(
        .invalidModel, "'\(graph[value].name)' is read, but nothing makes it.")
    }
    let name: String = try write(constant, named: graph[value].name)
    bound[value] = name
    return name
  }

  // MARK: - Nodes

  /// Adds a node and returns the name of its only output.
  @discardableResult
  func emit(
    _ type: String, _ inputs: [String], into name: String? = nil, _ attributes: NodeAttribute...
  ) -> String {
    emit(type, inputs, outputs: 1, into: name.map { [$0] }, attributes)[0]
  }

  /// Adds a node and returns the names of its outputs.
  @discardableResult
  func emit(
    _ type: String, _ inputs: [String], outputs: Int, into given: [String]? = nil,
    _ attributes: [NodeAttribute] = []
  ) -> [String] {
    var node = ONNX.NodeProto()
    node.opType = type
    node.input = inputs
    node.output = given ?? (0..<outputs).map { _ in names.fresh(current) }
    node.name = names.fresh("\(current)/\(type)")
    node.attribute = attributes.map(\.message)
    nodes.append(node)
    return node.output
  }

  /// Moves the nodes and constants of another writer to this writer.
  func take(_ other: GraphWriter) {
    nodes += other.nodes
    constants += other.constants
    other.nodes = []
    other.constants = []
  }

  /// Writes all nodes of the graph.
  func writeNodes() throws {
    for node in graph.nodes {
      current = node.outputs.first.map { graph[$0].name } ?? node.name
      do {
        let context = NodeContext(node, self)
        let outputs: [String] = try OperatorWriters.standard.write(context)
        for (value, name) in zip(node.outputs, outputs) { bound[value] = name }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
  }

  /// Returns the written nodes of a region as the graph that an attribute of a node holds.
  ///
  /// - Parameter outputs: The names and types of the values that the region returns. Each of these values is copied,
  ///   because an output must be a value of the region itself.
  func body(inputs: [ONNX.ValueInfoProto], outputs: [(name: String, element: ElementType)])
    -> ONNX.GraphProto
  {
    var result = ONNX.GraphProto()
    result.name = names.fresh("body")
    result.input = inputs
    result.output = outputs.map { name, element in
      Self.info(emit("Identity", [name]), element)
    }
    result.node = nodes
    result.initializer = constants
    return result
  }

  /// Describes a value by its element type, without a shape.
  static func info(_ name: String, _ element: ElementType) -> ONNX.ValueInfoProto {
    var tensor = ONNX.TypeProto.Tensor()
    tensor.elemType = element.onnxNumber ?? 1
    var result = ONNX.ValueInfoProto()
    result.name = name
    result.type = ONNX.TypeProto()
    result.type?.value = .tensorType(tensor)
    return result
  }

  // MARK: - Constants

  private func add(
    _ shape: [Int], _ element: ElementType, _ bytes: ByteValues, named wanted: String? = nil
  ) -> String {
    var tensor = ONNX.TensorProto()
    tensor.name = names.fresh(wanted ?? "\(current)/constant")
    tensor.dims = shape.map(Int64.init)
    tensor.dataType = element.onnxNumber ?? 1
    tensor.rawData = bytes
    constants.append(tensor)
    return tensor.name
  }

  /// Writes a constant of int64.
  func ints(_ values: [Int], _ shape: [Int]? = nil) -> String {
    let numbers: [Int64] = values.map { Int64($0).littleEndian }
    return add(
      shape ?? [values.count], .int64, numbers.withUnsafeBytes { ByteValues(copying: $0) })
  }

  /// Writes a constant of float32.
  func floats(_ values: [Float], _ shape: [Int]? = nil) -> String {
    add(
      shape ?? [values.count], .float32,
      FloatValues(values).bytes)
  }

  /// Writes a constant of rank 0. `element` is the type in which the graph stores the value.
  func number(_ value: Double, as element: ElementType = .float32) -> String {
    guard element.isInteger else { return floats([Float(value)], []) }
    let integer: Int32 = Int32(clamping: Int64(max(-0x1p40, min(0x1p40, value)))).littleEndian
    return add([], .int32, withUnsafeBytes(of: integer) { ByteValues(copying: $0) })
  }

  /// Writes a constant of the graph. 16-bit floating-point numbers keep 16 bits. 8-bit integers stay stored with their
  /// scales.
  func write(_ constant: Constant, named wanted: String) throws -> String {
    let shape: [Int] = constant.shape.dimensions
    if constant.type.element.isInteger {
      let numbers: [Int32] = try constant.tensor().integerValues.map {
        Int32(clamping: $0).littleEndian
      }
      return add(shape, .int32, numbers.withUnsafeBytes { ByteValues(copying: $0) }, named: wanted)
    }
    if let stored = try halves(constant, wanted) ?? quantized(constant, wanted) { return stored }
    return add(
      shape, .float32, FloatValues(try constant.floats()).bytes, named: wanted)
  }

  private func halves(_ constant: Constant, _ wanted: String) throws -> String? {
    guard case .plain(let bytes, .float16, _)? = constant.stored?.meaning else { return nil }
    let stored: String = add(
      constant.shape.dimensions, .float16, bytes.withBytes { ByteValues(copying: $0) },
      named: "\(wanted)/float16")
    return emit("Cast", [stored], .int("to", 1))
  }

  /// Writes 8-bit integers with one scale, or with one scale per index along an axis, as a `DequantizeLinear` node. Nil
  /// for all other constants.
  private func quantized(_ constant: Constant, _ wanted: String) throws -> String? {
    guard case .affine(let quantized, let scaled)? = constant.stored?.meaning,
      case .plain(let bytes, let element, _)? = quantized.stored?.meaning,
      element == .int8 || element == .uint8, scaled.difference == .float32,
      scaled.product == .float32
    else { return nil }
    let blocks: [Int] = scaled.scale.shape.dimensions
    let long: [Int] = blocks.indices.filter { blocks[$0] > 1 }
    guard long.count <= 1, long.allSatisfy({ blocks[$0] == constant.shape[$0] }),
      scaled.zero.map({ $0.shape == scaled.scale.shape }) ?? true
    else { return nil }
    let scales: [Float] = try scaled.scale.floats()
    let zeros: [Float] = try scaled.zero?.floats() ?? scales.map { _ in 0 }
    let range: ClosedRange<Float> = element == .int8 ? -128...127 : 0...255
    let areIntegers: Bool = zeros.allSatisfy { $0 == $0.rounded() && range.contains($0) }
    let rows: [Int] = long.isEmpty ? [] : [scaled.scale.count]
    let stored: String = add(
      constant.shape.dimensions, element, bytes.withBytes { ByteValues(copying: $0) },
      named: "\(wanted)/integers")
    let points: [UInt8] = zeros.map {
      areIntegers ? UInt8(truncatingIfNeeded: Int(bounding: $0)) : 0
    }
    let made: String = emit(
      "DequantizeLinear", [stored, floats(scales, rows), add(rows, element, ByteValues(points))],
      .int("axis", long.first ?? 0))
    // If zero points are not integers, the writer subtracts them after the scaling.
    return areIntegers
      ? made : emit("Add", [made, floats(zip(zeros, scales).map { -$0 * $1 }, blocks)])
  }
}
