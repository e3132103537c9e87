import Backends
import CKernels
import Graph
import Operators

extension KernelRequest {
  /// Returns the form in which a kernel for any layout reads an input. It is the form that the input's producer writes.
  /// However, if the producer writes `bfloat16` and the plan does not use that type, the kernel reads `float32`.
  package func followed(_ index: Int = 0) -> TensorDescriptor {
    let input: TensorDescriptor = inputs[index]
    let convertsToFloat32: Bool = precision != .bfloat16 && input.storage == .bfloat16
    let layout: Layout = input.shape.rank >= 3 ? input.layout : .dense
    return TensorDescriptor(input.shape, convertsToFloat32 ? .float32 : input.storage, layout)
  }

  /// The precision in which oneDNN's kernels compute the request. It is `float32` on processors without AVX-512, where
  /// oneDNN has only unoptimised kernels for bfloat16, or none.
  package var libraryPrecision: Precision { processor.hasAVX512 ? precision : .float32 }

  /// Returns ``followed(_:)`` for a kernel of oneDNN: `float32` instead of `bfloat16` if ``libraryPrecision`` is
  /// `float32`.
  package func followedByLibrary(_ index: Int = 0) -> TensorDescriptor {
    var form: TensorDescriptor = followed(index)
    if form.storage == .bfloat16, libraryPrecision == .float32 { form.storage = .float32 }
    return form
  }

  /// Returns ``followed(_:)`` for a kernel that can read bytes: with the type `uint8` if the input is stored as bytes.
  package func followedInBytes(_ index: Int = 0) -> TensorDescriptor {
    var form: TensorDescriptor = followed(index)
    if isHeldInBytes(index) { form.storage = .uint8 }
    return form
  }

  /// Returns ``followed(_:)`` for a kernel that moves elements of any type: with the narrower type in which the input is
  /// in memory.
  package func followedInMemory(_ index: Int = 0) -> TensorDescriptor {
    var form: TensorDescriptor = followed(index)
    if let narrow = narrowInputs[index] { form.storage = narrow }
    return form
  }

  /// Returns the dense form in which a kernel reads indices: integers or `float32`.
  package func dense(_ index: Int) -> TensorDescriptor {
    let input: TensorDescriptor = inputs[index]
    return TensorDescriptor(input.shape, input.storage == .bfloat16 ? .float32 : input.storage)
  }

  /// The element types that the inputs have in the graph. The plan may store a float32 input as bfloat16.
  package var elements: [ElementType] {
    inputs.map { $0.storage == .bfloat16 ? .float32 : $0.storage }
  }

  /// Returns the dense form in which a kernel moves elements of an input: int32 as int32, float16 as float16, every
  /// other type as in ``followed(_:)``.
  package func moved(_ index: Int = 0) -> TensorDescriptor {
    if inputs[index].storage == .int32 { return TensorDescriptor(inputs[index].shape, .int32) }
    var form: TensorDescriptor =
      narrowInputs[index] == .float16 ? followedInMemory(index) : followed(index)
    form.layout = .dense
    return form
  }
}

extension ElementTypes {
  /// The four-byte types of graphs. Kernels that only move elements support both types.
  package static let fourBytes: ElementTypes = [.float32, .int32]

  /// The types that the strided copy supports.
  package static let copied = ElementTypes(
    ElementType.allCases.filter { $0.kernelType != nil && $0 != .bfloat16 })
}

/// Index values in memory, which are int32, or `float32` to be truncated.
package struct IndexValues: Sendable {
  private let type: ElementType

  /// Creates index values in a form from ``KernelRequest/dense(_:)``.
  package init(_ form: TensorDescriptor) {
    precondition(form.storage == .float32 || form.storage == .int32, "\(form) holds no indices")
    type = form.storage
  }

  /// Returns the number at a position, converted as in the operators' reference implementations.
  package func integer(_ memory: UnsafeRawPointer, _ position: Int) -> Int {
    // Safe: callers pass positions inside the form.
    if type == .int32 { return Int(memory.load(fromByteOffset: position * 4, as: Int32.self)) }
    return ReferenceTensor.integer(
      Double(memory.load(fromByteOffset: position * 4, as: Float.self)))
  }

  /// Returns the numbers as a C struct.
  package func native(_ memory: UnsafeRawPointer) -> ck_numbers {
    ck_numbers(values: memory, type: type == .int32 ? CK_S32 : CK_F32)
  }
}

extension TensorDescriptor {
  /// The type in CKernels for moving elements without conversion: a type of the same size.
  package var movedType: ck_type { storage.byteCount == 2 ? CK_BF16 : CK_F32 }
}
