import Engine

/// The complete state of a trainer. Training that resumes from this state gives the same bits as training without a
/// break.
public struct TrainerState: Sendable, Equatable {
  /// The values of each parameter, in row-major order.
  public var parameters: [[Float]]
  /// The optimiser's moments: for each parameter, one tensor for SGD or two tensors for Adam, each in row-major order.
  public var moments: [[[Float]]]
  /// The number of steps so far.
  public var stepCount: Int

  /// Creates the state before the first step.
  public init(_ parameters: [TrainingParameter], stateCount: Int) {
    self.parameters = parameters.map(\.initial)
    moments = parameters.map { parameter in
      [[Float]](repeating: [Float](repeating: 0, count: parameter.shape.count), count: stateCount)
    }
    stepCount = 0
  }

  /// The state as little-endian bytes. They hold a signature, the number of steps and the number of parameters. Then
  /// they hold, for each parameter, the number of its moments, the tensor of its values, and the tensors of its
  /// moments. A tensor is stored as its number of elements, followed by the elements.
  public var bytes: [UInt8] {
    var writer = StateWriter()
    writer.append(Self.signature)
    writer.append(UInt64(stepCount))
    writer.append(UInt64(parameters.count))
    for (values, state) in zip(parameters, moments) {
      writer.append(UInt64(state.count))
      writer.append(values)
      for moment in state { writer.append(moment) }
    }
    return writer.bytes
  }

  /// Reads the state from bytes that ``bytes`` returned. Throws an error for other bytes.
  public init(bytes: [UInt8]) throws {
    var reader = StateReader(bytes)
    guard try reader.number() == Self.signature else { throw StateReader.damaged }
    stepCount = Int(clamping: try reader.number())
    let count: UInt64 = try reader.number()
    (parameters, moments) = ([], [])
    guard count < 1 << 20 else { throw StateReader.damaged }
    for _ in 0..<count {
      let momentCount: UInt64 = try reader.number()
      guard momentCount <= 2 else { throw StateReader.damaged }
      parameters.append(try reader.floats())
      moments.append(try (0..<momentCount).map { _ in try reader.floats() })
    }
    guard reader.isAtEnd else { throw StateReader.damaged }
  }

  /// The characters “ATLSTAT1” as a little-endian number.
  private static let signature: UInt64 = 0x3154_4154_534C_5441
}

/// Appends numbers as little-endian bytes.
private struct StateWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ values: [Float]) {
    append(UInt64(values.count))
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Reads numbers that ``StateWriter`` wrote. Checks every count against the number of remaining bytes.
private struct StateReader {
  static let damaged = EngineError(
    .invalidInput,
    "The training state is damaged or truncated; use an older checkpoint or start again.")

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws -> UInt64 {
    guard bytes.count - position >= 8 else { throw Self.damaged }
    let value: UInt64 = bytes.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    }
    position += 8
    return UInt64(littleEndian: value)
  }

  mutating func floats() throws -> [Float] {
    let count: UInt64 = try number()
    guard count <= UInt64((bytes.count - position) / 4) else { throw Self.damaged }
    let (start, length) = (position, Int(count))
    position += length * 4
    return [Float](unsafeUninitializedCapacity: length) { target, initialized in
      bytes.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(target).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: source[start..<(start + length * 4)]))
      }
      initialized = length
    }
  }
}
