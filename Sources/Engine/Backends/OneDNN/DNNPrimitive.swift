import Graph
import COneDNN

/// A computation that oneDNN has prepared. The object owns the C handle of the primitive.
///
/// `@unchecked Sendable`: a primitive is immutable (COneDNN.h); calls go through ``DNNExecution``.
public final class DNNPrimitive: @unchecked Sendable {
  package let handle: OpaquePointer

  /// Makes a primitive with one of the `adnn_…_create` functions. Returns nil if oneDNN has no implementation for the
  /// arguments. Throws an error of code `backend` for every other failure.
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

  /// The implementation that oneDNN chose, such as `brgconv:avx512_core_bf16`.
  public var implementation: String { String(cString: adnn_primitive_implementation(handle)) }
  /// The size of the scratch memory for one run, in bytes.
  public var scratchByteCount: Int { adnn_primitive_scratchpad_bytes(handle) }
  /// The size of the packed weights, in bytes.
  public var weightsByteCount: Int { adnn_primitive_weights_bytes(handle) }
  /// The name of the weights' format. Primitives whose format has the same name read the same bytes for the same
  /// weights.
  public var weightsForm: String {
    let length: Int = adnn_primitive_weights_form(handle, nil, 0)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { text in
      // Safe: the name is truncated to the memory's size, and ends with a zero.
      guard let base = text.baseAddress else { return "" }
      _ = adnn_primitive_weights_form(handle, base, text.count)
      return String(cString: base)
    }
  }

  /// The size of the output of one run, in bytes.
  public var destinationByteCount: Int { adnn_primitive_destination_bytes(handle) }

  /// Packs weights into memory of ``weightsByteCount`` bytes. Steps whose weights change from run to run call this in
  /// each run.
  public func pack(_ weights: UnsafePointer<Float>, into packed: UnsafeMutableRawPointer) throws {
    try DNNPrimitive.check(adnn_pack_weights(handle, weights, packed))
  }

  /// Converts a gradient of the weights, which a run has written in the primitive's format. The result is in the order
  /// that `adnn_pack_weights` takes.
  public func unpack(_ packed: UnsafeRawPointer, into weights: UnsafeMutablePointer<Float>) throws {
    try DNNPrimitive.check(adnn_unpack_weights(handle, packed, weights))
  }

  /// Throws the library's message if the status is not success.
  public static func check(_ status: adnn_status) throws {
    guard status == ADNN_OK else {
      throw EngineError(.backend, "oneDNN: \(String(cString: adnn_last_error()))")
    }
  }
}

/// The handle with which one session runs a primitive. Made in ``Step/makeState()``.
public final class DNNExecution {
  private let handle: OpaquePointer
  private let primitive: DNNPrimitive

  /// Creates a handle, which retains the primitive.
  public init(_ primitive: DNNPrimitive) throws {
    var created: OpaquePointer?
    try DNNPrimitive.check(adnn_execution_create(primitive.handle, &created))
    guard let created else { throw EngineError(.backend, "oneDNN returned no execution handle.") }
    handle = created
    self.primitive = primitive
  }

  deinit { adnn_execution_destroy(handle) }

  /// Runs the primitive and waits for its end.
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

/// A step that applies one oneDNN primitive to the step's first input. The primitive has no weights.
public final class DNNStep: Step, @unchecked Sendable {
  /// The primitive that runs.
  public let primitive: DNNPrimitive

  /// Creates a step that runs a primitive.
  public init(_ primitive: DNNPrimitive) { self.primitive = primitive }

  public override var detail: String { primitive.implementation }

  public override func makeState() throws -> AnyObject? { try DNNExecution(primitive) }

  public override func run(_ memory: StepMemory) throws {
    // Safe: the state comes from makeState().
    let execution = unsafeDowncast(memory.state.unsafelyUnwrapped, to: DNNExecution.self)
    try execution.run(
      source: memory.inputs[0], destination: memory.outputs[0], scratch: memory.scratch)
  }
}
