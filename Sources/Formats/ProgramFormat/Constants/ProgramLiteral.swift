import Foundation
import Graph
import ModelFormat

/// A constant in a program: numbers with their type, or strings.
package enum ProgramLiteral: Sendable {
  /// Numbers, with the element type that the program states. Integers of 32 and 64 bits are stored as integers.
  case tensor(Constant, element: ElementType)
  /// Strings.
  case strings([String])

  /// Reads the value of a message.
  package init(_ message: Spec.MILSpec.Value, in context: ProgramContext) throws {
    switch message.value {
    case .immediateValue(let immediate)?:
      switch immediate.value {
      case .tensor(let tensor)?: self = try .init(tensor, type: message.type)
      case .list(let list)?: self = try .init(list.values, in: context)
      case .tuple(let tuple)?: self = try .init(tuple.values, in: context)
      default: throw EngineError(.unsupported, "dictionaries as values are not supported.")
      }
    case .blobFileValue(let location)?:
      self = try .init(location, type: message.type, in: context)
    case nil:
      throw EngineError(.invalidModel, "a value holds nothing. The file may be damaged.")
    }
  }

  /// Stacks the elements of a list along a new first axis. The elements are strings, or tensors of equal shapes.
  private init(_ elements: [Spec.MILSpec.Value], in context: ProgramContext) throws {
    var strings: [String] = []
    var tensors: [ReferenceTensor] = []
    var written: ElementType = .float32
    for element in elements {
      switch try ProgramLiteral(element, in: context) {
      case .strings(let more): strings += more
      case .tensor(let constant, let element):
        tensors.append(try constant.tensor())
        written = element
      }
    }
    guard let first = tensors.first else {
      self = .strings(strings)
      return
    }
    guard strings.isEmpty, tensors.allSatisfy({ $0.type == first.type }) else {
      throw EngineError(.unsupported, "the elements of a list have several types.")
    }
    let shape = Shape([tensors.count] + first.shape.dimensions)
    let joined: ReferenceTensor =
      first.element.isFloatingPoint
      ? ReferenceTensor(shape, tensors.flatMap(\.values), first.element)
      : ReferenceTensor(shape, integerValues: tensors.flatMap(\.integerValues), first.element)
    self = .tensor(Constant(joined), element: written)
  }

  private init(_ tensor: Spec.MILSpec.TensorValue, type: Spec.MILSpec.ValueType?) throws {
    if case .strings(let strings)? = tensor.value {
      self = .strings(strings.values)
      return
    }
    let (element, shape) = try Self.type(of: type)
    let count: Int = shape.count
    func requireCount(_ found: Int) throws {
      guard found == count else {
        throw EngineError(
          .invalidModel,
          "a value of \(shape) states \(found) numbers, expected \(count). The file may be damaged."
        )
      }
    }
    switch tensor.value {
    case .floats(let message)?:
      try requireCount(message.values.count)
      self = .init(numbers: message.values.map(Double.init), shape, element)
    case .doubles(let message)?:
      try requireCount(message.values.count)
      self = .init(numbers: message.values, shape, element)
    case .bools(let message)?:
      try requireCount(message.values.count)
      self = .init(numbers: message.values.map { $0 ? 1 : 0 }, shape, element)
    case .ints(let message)?:
      try requireCount(message.values.count)
      self = .init(integerValues: message.values.map(Int64.init), shape, element)
    case .longInts(let message)?:
      try requireCount(message.values.count)
      self = .init(integerValues: message.values, shape, element)
    case .bytes(let message)?:
      self = try .init(stored: message.values, of: element, shape, element)
    case .strings?, nil:
      // Protobuf omits an empty list. So a message without a list states no elements.
      try requireCount(0)
      self = .init(numbers: [], shape, element)
    }
  }

  private init(
    _ location: Spec.MILSpec.Value.BlobFileValue, type: Spec.MILSpec.ValueType?,
    in context: ProgramContext
  ) throws {
    let (element, shape) = try Self.type(of: type)
    let blob = try context.blobs(named: location.fileName).blob(at: location.offset)
    let stored = try ElementType(blob.dataType)
    // Files before iOS 18 store each boolean as a byte.
    guard stored == element || stored.bitCount == element.bitCount else {
      throw EngineError(
        .invalidModel,
        "the blob at \(location.offset) of '\(location.fileName)' holds \(stored) numbers, expected \(element)."
      )
    }
    guard blob.count >= shape.count else {
      throw EngineError(
        .invalidModel,
        "the blob at \(location.offset) of '\(location.fileName)' holds \(blob.count) numbers, expected \(shape.count) (\(shape)). The file may be truncated."
      )
    }
    let size: Int = element.byteCount(of: shape.count)
    guard let bytes = blob.bytes.slice(from: 0, count: size) else {
      throw EngineError(
        .invalidModel, "the blob at \(location.offset) of '\(location.fileName)' is truncated.")
    }
    self = try .init(stored: bytes, of: element, shape, element)
  }

  private static func type(of message: Spec.MILSpec.ValueType?) throws -> (ElementType, Shape) {
    guard let type = try WrittenType(message), let extents = type.extents else {
      throw EngineError(.invalidModel, "a value has no type. The file may be damaged.")
    }
    let known: [Int] = extents.compactMap { $0 }
    guard known.count == extents.count, Shape(known).isMeasurable else {
      throw EngineError(.invalidModel, "a value has a shape that is not known or too large.")
    }
    return (type.element, Shape(known))
  }

  private init(numbers: [Double], _ shape: Shape, _ element: ElementType) {
    if element.held.isInteger {
      self = .init(integerValues: numbers.map(element.integer), shape, element)
      return
    }
    self = .tensor(Constant(ReferenceTensor(shape, numbers.map(element.rounded))), element: element)
  }

  private init(integerValues: [Int64], _ shape: Shape, _ element: ElementType) {
    if element.held.isInteger {
      self = .tensor(
        Constant(ReferenceTensor(shape, integerValues: integerValues, element.held)),
        element: element)
      return
    }
    self = .tensor(
      Constant(ReferenceTensor(shape, integerValues.map { Double(element.wrapped($0)) })),
      element: element)
  }

  /// Makes numbers that refer to the bytes of a file. The numbers are decoded on first use.
  private init(
    stored bytes: ByteValues, of stored: ElementType, _ shape: Shape, _ element: ElementType
  ) throws {
    let needed: Int = stored.byteCount(of: shape.count)
    guard bytes.count == needed else {
      throw EngineError(
        .invalidModel,
        "a value of \(shape) states \(bytes.count) bytes, expected \(needed) of \(stored). The file may be damaged."
      )
    }
    self = .tensor(
      Constant(TensorType(shape, element.held), StoredValues(bytes, of: stored)), element: element)
  }
}

extension ElementType {
  /// Converts the element type of a blob in a weight file.
  fileprivate init(_ type: BlobFile.DataType) throws {
    switch type {
    case .float16: self = .float16
    case .float32: self = .float32
    case .uint8: self = .uint8
    case .int8: self = .int8
    case .bfloat16: self = .bfloat16
    case .int16: self = .int16
    case .uint16: self = .uint16
    case .int4: self = .int4
    case .uint1: self = .uint1
    case .uint2: self = .uint2
    case .uint4: self = .uint4
    case .uint3: self = .uint3
    case .uint6: self = .uint6
    case .int32: self = .int32
    case .uint32: self = .uint32
    case .float8e4m3fn, .float8e5m2:
      throw EngineError(
        .unsupported,
        "weights of type \(type) (8-bit floating point) are not supported; write them as float16.")
    }
  }
}
