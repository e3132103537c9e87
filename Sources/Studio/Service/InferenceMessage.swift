import Foundation

/// A request for an inference, parsed from JSON and from the binary data that may follow the JSON.
public struct InferenceMessage: Sendable {
  /// An output that the client asks for.
  public struct Output: Sendable, Equatable {
    public let name: String
    /// Whether the response has the output as binary data.
    public let isBinary: Bool
  }

  public let id: String?
  public let inputs: [InferenceTensor]
  /// The outputs that the client asks for. Nil for all outputs.
  public let outputs: [Output]?
  /// Whether the response has those outputs as binary data that the request does not name.
  public let prefersBinary: Bool
  /// Whether the response has pictures as arrays of pixels instead of PNG files.
  public let wantsPixels: Bool

  private static let mostTensors = 256
  /// The maximum number of bytes of the JSON part. A parsed document takes several times as much memory as its text.
  private static let mostJSON = 8 << 20

  /// Parses a request's body. `headerLength` is the value of the header `Inference-Header-Content-Length`.
  public init(_ body: Data, headerLength: String?) throws {
    var count = body.count
    if let headerLength {
      guard let length = Int(headerLength), (0...body.count).contains(length) else {
        throw HTTPError(
          400, "bad_header_length",
          "Inference-Header-Content-Length is '\(headerLength)', but it must be an integer from 0"
            + " to the body's length of \(body.count) bytes.")
      }
      count = length
    }
    guard count <= Self.mostJSON else {
      throw HTTPError(
        413, "long_json",
        "The JSON has \(count) bytes, but at most \(Self.mostJSON) are accepted. Send large tensors"
          + " as binary data.")
    }
    guard let object = try? JSONSerialization.jsonObject(with: body.prefix(count)),
      let root = object as? [String: Any]
    else { throw Self.wrong("The body must be a JSON object, with 'inputs'.") }
    guard let listed = root["inputs"] as? [[String: Any]],
      (1...Self.mostTensors).contains(listed.count)
    else {
      throw Self.wrong("'inputs' must be a list of 1 to \(Self.mostTensors) objects.")
    }
    if let found = root["id"] {
      guard let text = found as? String else { throw Self.wrong("'id' must be a text.") }
      id = text
    } else {
      id = nil
    }
    let parameters = try Self.parameters(root, "the request")
    prefersBinary = try Self.flag("binary_data_output", parameters, "the request") ?? false
    switch parameters["pictures"] {
    case nil: wantsPixels = false
    case let word as String where word == "png" || word == "array": wantsPixels = word == "array"
    default: throw Self.wrong("The parameter 'pictures' of the request must be 'png' or 'array'.")
    }
    var binary = body.dropFirst(count)
    var names: Set<String> = []
    inputs = try listed.map { object in
      let tensor = try Self.tensor(object, &binary)
      guard names.insert(tensor.name).inserted else {
        throw Self.wrong("The input '\(tensor.name)' occurs twice.")
      }
      return tensor
    }
    guard binary.isEmpty else {
      throw Self.wrong("\(binary.count) bytes follow the binary data of the last input.")
    }
    outputs = try Self.outputs(root["outputs"], prefersBinary)
  }

  private static func outputs(_ stated: Any?, _ prefersBinary: Bool) throws -> [Output]? {
    guard let stated else { return nil }
    guard let list = stated as? [[String: Any]], list.count <= mostTensors else {
      throw wrong("'outputs' must be a list of at most \(mostTensors) objects.")
    }
    return try list.map { object in
      guard let name = object["name"] as? String else {
        throw wrong("Each output must have a 'name', which is a text.")
      }
      let parameters = try parameters(object, "'\(name)'")
      guard parameters["classification"] == nil else {
        throw wrong("The output '\(name)' asks for 'classification', which is not supported.")
      }
      return Output(
        name: name, isBinary: try flag("binary_data", parameters, "'\(name)'") ?? prefersBinary)
    }
  }

  private static func tensor(
    _ object: [String: Any], _ binary: inout Data.SubSequence
  ) throws -> InferenceTensor {
    guard let name = object["name"] as? String else {
      throw wrong("Each input must have a 'name', which is a text.")
    }
    guard let word = object["datatype"] as? String,
      let type = InferenceTensor.DataType(rawValue: word)
    else {
      throw InferenceTensor.wrong(
        name,
        "must have one of the datatypes "
          + InferenceTensor.DataType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    guard let extents = object["shape"] as? [Any], extents.count <= 16,
      case let shape = extents.compactMap(integer), shape.count == extents.count
    else { throw InferenceTensor.wrong(name, "must have a 'shape' of at most 16 integers") }
    let parameters = try parameters(object, "'\(name)'")
    if let stated = parameters["binary_data_size"] {
      guard let size = integer(stated), (0...binary.count).contains(size) else {
        throw InferenceTensor.wrong(
          name,
          "has a 'binary_data_size' that is not an integer from 0 to the \(binary.count) bytes"
            + " that follow")
      }
      guard object["data"] == nil else {
        throw InferenceTensor.wrong(name, "has both 'data' and 'binary_data_size'")
      }
      defer { binary = binary.dropFirst(size) }
      return try InferenceTensor(
        name: name, dataType: type, shape: shape, content: Data(binary.prefix(size)))
    }
    guard let data = object["data"] as? [Any] else {
      throw InferenceTensor.wrong(name, "must have 'data', a list, or 'binary_data_size'")
    }
    let isBase64 = try isBase64(parameters, name)
    var content = Data()
    try append(data, type, name, isBase64, &content, depth: 0)
    return try InferenceTensor(name: name, dataType: type, shape: shape, content: content)
  }

  /// Appends the elements of lists, which may be nested.
  private static func append(
    _ list: [Any], _ type: InferenceTensor.DataType, _ name: String, _ isBase64: Bool,
    _ content: inout Data, depth: Int
  ) throws {
    guard depth < 16 else {
      throw InferenceTensor.wrong(name, "has lists nested more than 16 deep")
    }
    func put(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { content.append(contentsOf: $0) }
    }
    for item in list {
      if let inner = item as? [Any] {
        try append(inner, type, name, isBase64, &content, depth: depth + 1)
        continue
      }
      let expected = InferenceTensor.wrong(name, "has an element that is no \(type.rawValue)")
      func whole<Value: FixedWidthInteger>(_: Value.Type) throws {
        guard let number = item as? NSNumber, !isBoolean(number),
          let value: Value = exact(number)
        else { throw expected }
        put(value)
      }
      func real<Value: BinaryFloatingPoint>(_: Value.Type) throws -> Value {
        guard let number = item as? NSNumber, !isBoolean(number),
          case let value = Value(number.doubleValue), value.isFinite
        else { throw expected }
        return value
      }
      switch type {
      case .bool:
        guard let number = item as? NSNumber, isBoolean(number) else { throw expected }
        put(number.boolValue ? UInt8(1) : 0)
      case .uint8: try whole(UInt8.self)
      case .uint16: try whole(UInt16.self)
      case .uint32: try whole(UInt32.self)
      case .uint64: try whole(UInt64.self)
      case .int8: try whole(Int8.self)
      case .int16: try whole(Int16.self)
      case .int32: try whole(Int32.self)
      case .int64: try whole(Int64.self)
      case .float16: put(try real(Float16.self).bitPattern)
      case .float32: put(try real(Float.self).bitPattern)
      case .float64: put(try real(Double.self).bitPattern)
      case .bytes:
        guard let text = item as? String else { throw expected }
        guard let element = isBase64 ? Data(base64Encoded: text) : Data(text.utf8) else {
          throw InferenceTensor.wrong(name, "has an element that is not base64")
        }
        put(UInt32(element.count))
        content.append(element)
      }
    }
  }

  /// Returns whether the elements of a tensor of bytes are base64. JSON cannot hold other bytes than text.
  private static func isBase64(_ parameters: [String: Any], _ name: String) throws -> Bool {
    switch parameters["content_type"] {
    case nil: return false
    case let word as String where word == "base64": return true
    default: throw InferenceTensor.wrong(name, "has a 'content_type' other than 'base64'")
    }
  }

  private static func parameters(
    _ object: [String: Any], _ owner: String
  ) throws -> [String: Any] {
    guard let stated = object["parameters"] else { return [:] }
    guard let parameters = stated as? [String: Any] else {
      throw wrong("The 'parameters' of \(owner) must be an object.")
    }
    return parameters
  }

  private static func flag(
    _ name: String, _ parameters: [String: Any], _ owner: String
  ) throws -> Bool? {
    guard let stated = parameters[name] else { return nil }
    guard let number = stated as? NSNumber, isBoolean(number) else {
      throw wrong("The parameter '\(name)' of \(owner) must be true or false.")
    }
    return number.boolValue
  }

  /// Returns a number as an integer. Nil if the number has a fraction or does not fit.
  private static func exact<Value: FixedWidthInteger>(_ number: NSNumber) -> Value? {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): Value(exactly: number.doubleValue)
    case UInt8(ascii: "Q"): Value(exactly: number.uint64Value)
    default: Value(exactly: number.int64Value)
    }
  }

  private static func integer(_ value: Any) -> Int? {
    guard let number = value as? NSNumber, !isBoolean(number) else { return nil }
    return exact(number)
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "c")
  }

  private static func wrong(_ message: String) -> HTTPError {
    HTTPError(400, "bad_request", message)
  }
}
