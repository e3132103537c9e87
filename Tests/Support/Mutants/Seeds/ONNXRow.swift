import Graph
import ModelFormat
import ONNXFormat

/// A row of ``ONNXTable`` as a model.
struct ONNXRow {
  let name: String
  private let opset: Int64
  private let arguments: [String]
  private let attributes: [(name: String, text: String)]
  private let outputCount: Int
  private var generator = SplitMix64(seed: 11)
  /// Values for the inputs, by name.
  private(set) var values: [String: [Double]] = [:]

  init(_ line: String) {
    let open = line.firstIndex(of: "(") ?? line.endIndex
    let head = line[..<open].split(separator: "@")
    name = String(head.first ?? "")
    opset = head.count > 1 ? Int64(head[1]) ?? 18 : 18
    // Finds the parenthesis that closes the list of inputs. Parentheses inside the list denote scalars.
    var depth = 0
    var close = open
    for index in line[open...].indices {
      if line[index] == "(" { depth += 1 }
      if line[index] == ")" { depth -= 1 }
      close = index
      if depth == 0 { break }
    }
    arguments = Self.split(line[line.index(after: open)..<close])
    var words = line[line.index(after: close)...].split(separator: " ").map(String.init)
    if let arrow = words.firstIndex(of: "->"), arrow + 1 < words.count {
      outputCount = Int(words[arrow + 1]) ?? 1
      words.removeSubrange(arrow...)
    } else {
      outputCount = 1
    }
    attributes = words.compactMap { word in
      word.firstIndex(of: "=").map {
        (String(word[..<$0]), String(word[word.index(after: $0)...]))
      }
    }
  }

  /// Splits a text at those commas that are not inside brackets.
  private static func split(_ text: Substring) -> [String] {
    var (parts, depth) = ([""], 0)
    for character in text {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if character == ",", depth == 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts == [""] ? [] : parts
  }

  private static let types: [String: Int32] = [
    "f": 1, "u8": 2, "i8": 3, "i32": 6, "i": 7, "b": 9, "h": 10, "d": 11,
  ]

  /// Builds the model. Nil if the row has a syntax error.
  mutating func model() -> ONNX.ModelProto? {
    var graph = ONNX.GraphProto()
    graph.name = "seed"
    var node = ONNX.NodeProto()
    (node.opType, node.name) = (name, "node")
    for (position, argument) in arguments.enumerated() {
      guard argument != "_" else {
        node.input.append("")
        continue
      }
      let isConstant: Bool = argument.hasPrefix("=")
      let text: Substring = isConstant ? argument.dropFirst() : argument[...]
      guard let mark = text.firstIndex(where: { "[({".contains($0) }),
        let type = Self.types[String(text[..<mark])]
      else { return nil }
      let label: String = isConstant && text[mark] != "[" ? "size\(position)" : "x\(position)"
      node.input.append(label)
      let rest = text[mark...]
      if isConstant {
        guard let tensor = constant(label, type, rest) else { return nil }
        graph.initializer.append(tensor)
      } else {
        let extents = rest.dropFirst().dropLast().split(separator: ",").map(String.init)
        graph.input.append(
          .stating(
            label,
            extents.enumerated().map { axis, extent in
              Int64(extent).map { .dimValue($0) } ?? .dimParam("n\(axis)")
            }, type))
        let count: Int = extents.reduce(1) { $0 * (Int($1) ?? 3) }
        values[label] = (0..<min(count, 256)).map { _ in number(type) }
      }
    }
    node.output = (0..<outputCount).map { "y\($0)" }
    node.attribute = attributes.compactMap { Self.attribute($0.name, $0.text) }
    guard node.attribute.count == attributes.count else { return nil }
    graph.node = [node]
    graph.output = node.output.map { .stating($0, nil, 1) }
    if name == "SplitToSequence" {
      // SplitToSequence gives a sequence, which no model may output. So a second node reads the first element of the
      // sequence, and the model outputs this element.
      var index = ONNX.TensorProto()
      (index.name, index.dataType, index.int64Data) = ("position", 7, [0])
      graph.initializer.append(index)
      var element = ONNX.NodeProto()
      (element.opType, element.input, element.output) = ("SequenceAt", ["y0", "position"], ["z"])
      graph.node.append(element)
      graph.output = [.stating("z", nil, 1)]
    }
    var model = ONNX.ModelProto()
    model.irVersion = 10
    var set = ONNX.OperatorSetIdProto()
    set.version = opset
    model.opsetImport = [set]
    model.graph = graph
    return model
  }

  private mutating func number(_ type: Int32) -> Double {
    switch type {
    case 6, 7: Double(Int.random(in: 0...1, using: &generator))
    case 9: Double(Int.random(in: 0...1, using: &generator))
    case 2, 3: Double(Int.random(in: 0...99, using: &generator))
    default: generator.uniform(-1...1)
    }
  }

  /// Parses a constant. `[2,3]` is a constant of this shape with arbitrary numbers. `{1,2}` is a vector of these
  /// numbers. `{1,2}[2,1]` is a constant of these numbers in the shape 2 × 1. `(3)` is the scalar 3.
  private mutating func constant(_ label: String, _ type: Int32, _ text: Substring)
    -> ONNX.TensorProto?
  {
    var numbers: [Double] = []
    var dims: [Int64] = []
    if text.hasPrefix("[") {
      dims = text.dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
      let count: Int64 = dims.reduce(1, *)
      numbers = (0..<count).map { _ in
        // Scales and variances must be positive, so all float numbers are.
        type == 1 ? abs(number(type)) + 0.01 : number(type)
      }
    } else {
      let parts = text.split(separator: text.hasPrefix("{") ? "}" : ")")
      numbers = parts[0].dropFirst().split(separator: ",").compactMap { Double($0) }
      if text.hasPrefix("{") { dims = [Int64(numbers.count)] }
      if parts.count > 1 {
        dims = parts[1].dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
      }
    }
    var tensor = ONNX.TensorProto()
    (tensor.name, tensor.dims, tensor.dataType) = (label, dims, type)
    switch type {
    case 1: tensor.floatData = FloatValues(numbers.map(Float.init))
    case 7: tensor.int64Data = numbers.map { Int64($0) }
    default: tensor.int32Data = numbers.map { Int32($0) }
    }
    return tensor
  }

  private static func attribute(_ name: String, _ text: String) -> ONNX.AttributeProto? {
    var result = ONNX.AttributeProto()
    result.name = name
    if text.hasPrefix("\"") {
      result.type = .string
      result.s = ByteValues(Array(text.dropFirst().dropLast().utf8))
    } else if text.hasPrefix("[") {
      let parts = text.dropFirst().dropLast().split(separator: ",")
      let numbers: [Int64] = parts.compactMap { Int64($0) }
      guard numbers.count == parts.count else { return nil }
      (result.type, result.ints) = (.ints, numbers)
    } else if let number = Int64(text) {
      (result.type, result.i) = (.int, number)
    } else if let number = Float(text) {
      (result.type, result.f) = (.float, number)
    } else {
      return nil
    }
    return result
  }
}
