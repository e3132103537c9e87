import Backends
import CKernels
import Graph
import Operators

extension KernelRequest {
  /// The form in which a kernel that takes any layout reads an input: as its producer keeps it,
  /// `bfloat16` only where the plan chose it.
  package func followed(_ index: Int = 0) -> TensorDescriptor {
    let input: TensorDescriptor = inputs[index]
    let widens: Bool = precision != .bfloat16 && input.storage == .bfloat16
    let layout: Layout = input.shape.rank >= 3 ? input.layout : .dense
    return TensorDescriptor(input.shape, widens ? .float32 : input.storage, layout)
  }

  /// The precision in which oneDNN's kernels serve the request: for bfloat16 it has but plain loops, or none, on
  /// processors without AVX-512.
  package var libraryPrecision: Precision { processor.hasAVX512 ? precision : .float32 }

  /// ``followed(_:)`` for a kernel of oneDNN's.
  package func followedByLibrary(_ index: Int = 0) -> TensorDescriptor {
    var form: TensorDescriptor = followed(index)
    if form.storage == .bfloat16, libraryPrecision == .float32 { form.storage = .float32 }
    return form
  }

  /// ``followed(_:)`` for a kernel that reads bytes as well, where the input lies so.
  package func followedInBytes(_ index: Int = 0) -> TensorDescriptor {
    var form: TensorDescriptor = followed(index)
    if bytes.contains(index) { form.storage = .uint8 }
    return form
  }

  /// The dense form in which a kernel reads numbers that say where: whole numbers or `float32`.
  package func dense(_ index: Int) -> TensorDescriptor {
    let input: TensorDescriptor = inputs[index]
    return TensorDescriptor(input.shape, input.storage == .bfloat16 ? .float32 : input.storage)
  }

  /// The element types of the inputs as the graph states them: bfloat16 is how a plan keeps float32.
  package var elements: [ElementType] {
    inputs.map { $0.storage == .bfloat16 ? .float32 : $0.storage }
  }

  /// The dense form in which a kernel moves elements of an input: whole numbers of 32 bits as they are,
  /// everything else as ``followed(_:)`` says.
  package func moved(_ index: Int = 0) -> TensorDescriptor {
    if inputs[index].storage == .int32 { return TensorDescriptor(inputs[index].shape, .int32) }
    var form: TensorDescriptor = followed(index)
    form.layout = .dense
    return form
  }
}

extension ElementTypes {
  /// The types of four bytes that graphs compute with: kernels that move elements without looking at them
  /// take both.
  package static let fourBytes: ElementTypes = [.float32, .int32]

  /// The types that the strided copy moves.
  package static let copied = ElementTypes(
    ElementType.allCases.filter { $0.kernelType != nil && $0 != .bfloat16 })
}

/// Numbers in memory that say where: `float32`, cut off, or int32.
package struct PlaceNumbers: Sendable {
  private let type: ElementType

  /// Numbers in a form that ``KernelRequest/dense(_:)`` gave.
  package init(_ form: TensorDescriptor) {
    precondition(form.storage == .float32 || form.storage == .int32, "\(form) says where")
    type = form.storage
  }

  /// The number at a position, as operators' definitions read it.
  package func whole(_ memory: UnsafeRawPointer, _ position: Int) -> Int {
    // Safe: callers ask for positions inside of the form.
    if type == .int32 { return Int(memory.load(fromByteOffset: position * 4, as: Int32.self)) }
    return ReferenceTensor.integer(
      Double(memory.load(fromByteOffset: position * 4, as: Float.self)))
  }

  /// The numbers as the C functions take them.
  package func native(_ memory: UnsafeRawPointer) -> ck_numbers {
    ck_numbers(values: memory, type: type == .int32 ? CK_S32 : CK_F32)
  }
}

extension TensorDescriptor {
  /// The native kernels' name for elements that are moved bit by bit: that of the type of their size.
  package var movedType: ck_type { storage.byteCount == 2 ? CK_BF16 : CK_F32 }
}
