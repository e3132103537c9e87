import Foundation

/// The response to an ``InferenceMessage``: outputs as JSON, or as binary data after the JSON.
public struct InferenceAnswer: Sendable {
  /// The media type of responses with binary data.
  private static let binaryType = "application/octet-stream"
  /// The header with the length of the JSON before binary data, in lower case.
  public static let lengthHeader = "inference-header-content-length"

  /// The JSON.
  public let json: Data
  /// The binary data of the outputs, in their order. Nil if all outputs are in the JSON.
  public let binary: Data?

  /// Creates a response from its encoded parts.
  public init(json: Data, binary: Data?) {
    self.json = json
    self.binary = binary
  }

  /// Encodes the outputs of a model.
  ///
  /// - Parameter outputs: The tensors, each with whether the response has it as binary data.
  public init(
    model: String, version: String, id: String?,
    _ outputs: [(tensor: InferenceTensor, isBinary: Bool)]
  ) throws {
    let document = Document(
      model_name: model, model_version: version, id: id,
      outputs: outputs.map { Output(tensor: $0.tensor, isBinary: $0.isBinary) })
    do {
      json = try JSONEncoder().encode(document)
    } catch {
      throw HTTPError(
        422, "not_finite",
        "An output has a number that is not finite, which JSON cannot hold. Ask for binary data.")
    }
    guard outputs.contains(where: \.isBinary) else {
      binary = nil
      return
    }
    var binary = Data(
      capacity: outputs.reduce(0) { $0 + ($1.isBinary ? $1.tensor.content.count : 0) })
    for output in outputs where output.isBinary { binary.append(output.tensor.content) }
    self.binary = binary
  }

  /// The HTTP response.
  public var response: HTTPResponse {
    guard let binary else { return HTTPResponse(type: "application/json", json) }
    var response = HTTPResponse(type: Self.binaryType, json + binary)
    response.headers.append(("Inference-Header-Content-Length", "\(json.count)"))
    return response
  }

  /// The response as JSON. The names are the protocol's.
  private struct Document: Encodable {
    let model_name: String
    let model_version: String
    let id: String?
    let outputs: [Output]
  }

  private struct Output: Encodable {
    let tensor: InferenceTensor
    let isBinary: Bool

    private enum Keys: String, CodingKey {
      case name, datatype, shape, parameters, data
    }
    private enum ParameterKeys: String, CodingKey {
      case size = "binary_data_size"
      case contentType = "content_type"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(tensor.name, forKey: .name)
      try container.encode(tensor.dataType.rawValue, forKey: .datatype)
      try container.encode(tensor.shape, forKey: .shape)
      guard !isBinary else {
        var parameters = container.nestedContainer(keyedBy: ParameterKeys.self, forKey: .parameters)
        try parameters.encode(tensor.content.count, forKey: .size)
        return
      }
      if tensor.dataType == .bytes {
        let elements = try tensor.elements()
        let texts = elements.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == elements.count else {
          var parameters = container.nestedContainer(
            keyedBy: ParameterKeys.self, forKey: .parameters)
          try parameters.encode("base64", forKey: .contentType)
          return try container.encode(elements.map { $0.base64EncodedString() }, forKey: .data)
        }
        return try container.encode(texts, forKey: .data)
      }
      try encodeNumbers(&container)
    }

    private func encodeNumbers(_ container: inout KeyedEncodingContainer<Keys>) throws {
      func put<Element>(_: Element.Type, _ number: (Element) -> some Encodable) throws {
        try tensor.content.withUnsafeBytes { bytes in
          let count = bytes.count / MemoryLayout<Element>.size
          let numbers = (0..<count).map {
            number(
              bytes.loadUnaligned(
                fromByteOffset: $0 * MemoryLayout<Element>.size, as: Element.self))
          }
          try container.encode(numbers, forKey: .data)
        }
      }
      switch tensor.dataType {
      case .bool: try put(UInt8.self) { $0 != 0 }
      case .uint8: try put(UInt8.self) { $0 }
      case .uint16: try put(UInt16.self) { $0 }
      case .uint32: try put(UInt32.self) { $0 }
      case .uint64: try put(UInt64.self) { $0 }
      case .int8: try put(Int8.self) { $0 }
      case .int16: try put(Int16.self) { $0 }
      case .int32: try put(Int32.self) { $0 }
      case .int64: try put(Int64.self) { $0 }
      case .float16: try put(UInt16.self) { Float(Float16(bitPattern: $0)) }
      case .float32: try put(Float.self) { $0 }
      case .float64: try put(Double.self) { $0 }
      case .bytes: break
      }
    }
  }
}
