import Graph
import COneDNN

/// A prepared computation of oneDNN; owns the C handle.
///
/// `@unchecked Sendable`: a primitive is immutable (COneDNN.h), calls go through ``DNNExecution``.
public final class DNNPrimitive: @unchecked Sendable {
  package let handle: OpaquePointer

  /// Makes a primitive with one of the `adnn_…_create` functions; nil when oneDNN has no
  /// implementation of this combination, an error of code `backend` for every other failure.
  public static func make(_ create: (UnsafeMutablePointer<OpaquePointer?>) -> adnn_status) throws
    -> DNNPrimitive?
  {
    var handle: OpaquePointer?
    let status = create(&handle)
    if status == ADNN_UNIMPLEMENTED { return nil }
    try check(status)
    return handle.map(DNNPrimitive.init)
  }

  private init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { adnn_primitive_destroy(handle) }

  /// The variant that oneDNN chose, `brgconv:avx512_core_bf16`.
  public var implementation: String { String(cString: adnn_primitive_implementation(handle)) }
  /// Temporary memory that one run needs, in bytes.
  public var scratchByteCount: Int { adnn_primitive_scratchpad_bytes(handle) }
  /// The size of the packed weights, in bytes.
  public var weightsByteCount: Int { adnn_primitive_weights_bytes(handle) }
  /// Names the form of the packed weights: primitives of one name read the same bytes for the same weights.
  public var weightsForm: String {
    let length: Int = adnn_primitive_weights_form(handle, nil, 0)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text in
      // Safe: the name is cut to the memory's size, and ends with a zero.
      guard let base = text.baseAddress else { return "" }
      _ = adnn_primitive_weights_form(handle, base, text.count)
      return String(cString: base)
    }
  }

  /// The size of what one run writes, in bytes.
  public var destinationByteCount: Int { adnn_primitive_destination_bytes(handle) }

  /// Packs weights into memory of ``weightsByteCount`` bytes; for weights that change from run to run.
  public func pack(_ weights: UnsafePointer<Float>, into packed: UnsafeMutableRawPointer) throws {
    try DNNPrimitive.check(adnn_pack_weights(handle, weights, packed))
  }

  /// Brings the gradient of weights, as a run wrote it, into the order of `adnn_pack_weights`.
  public func unpack(_ packed: UnsafeRawPointer, into weights: UnsafeMutablePointer<Float>) throws {
    try DNNPrimitive.check(adnn_unpack_weights(handle, packed, weights))
  }

  /// Throws the library's sentence for a status that is not success.
  public static func check(_ status: adnn_status) throws {
    guard status == ADNN_OK else {
      throw EngineError(.backend, "oneDNN: \(String(cString: adnn_last_error()))")
    }
  }
}

/// One session's handle for running a primitive; make it in ``Step/makeState()``.
public final class DNNExecution {
  private let handle: OpaquePointer
  private let primitive: DNNPrimitive

  /// A handle; the primitive is kept alive.
  public init(_ primitive: DNNPrimitive) throws {
    var created: OpaquePointer?
    try DNNPrimitive.check(adnn_execution_create(primitive.handle, &created))
    guard let created else { throw EngineError(.backend, "oneDNN gave no execution.") }
    handle = created
    self.primitive = primitive
  }

  deinit { adnn_execution_destroy(handle) }

  /// Runs and waits.
  public func run(
    source: UnsafeRawPointer, weights: UnsafeRawPointer? = nil, bias: UnsafePointer<Float>? = nil,
    destination: UnsafeMutableRawPointer,
    operands: UnsafePointer<UnsafeRawPointer?>? = nil, scratch: UnsafeMutableRawPointer
  ) throws {
    var arguments = adnn_arguments(
      source: source, weights: weights, bias: bias, destination: destination, operands: operands,
      scratchpad: scratch)
    let status = adnn_execution_run(handle, &arguments)
    if status != ADNN_OK { try DNNPrimitive.check(status) }
  }
}

/// A step that runs one oneDNN primitive, which has no weights, on its first input.
public final class DNNStep: Step, @unchecked Sendable {
  /// What runs.
  public let primitive: DNNPrimitive

  /// A step of a primitive.
  public init(_ primitive: DNNPrimitive) { self.primitive = primitive }

  public override var detail: String { primitive.implementation }

  public override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  public override func run(_ memory: StepMemory) throws {
    // Safe: the state is what makeState() made.
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    try execution.run(
      source: memory.inputs[0], destination: memory.outputs[0], scratch: memory.scratch)
  }
}
