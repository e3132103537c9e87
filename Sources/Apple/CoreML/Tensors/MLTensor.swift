import Engine
import Foundation

/// An array of numbers with any number of axes, and what is to be computed of others.
///
/// Operations on tensors are not computed when they are written down. ``shapedArray(of:)`` computes all that
/// its tensor is made of as one network, with the kernels that models run with. The networks of the last expressions
/// are kept, so that a loop plans its expression once. Shapes are checked at once; what does not fit ends the
/// program, as an index out of range does.
public struct MLTensor: Sendable {
  /// The length of each axis; none for a single number.
  public let shape: [Int]
  let element: ElementType
  let node: TensorNode

  /// The number of axes.
  public var rank: Int { shape.count }
  /// The number of elements.
  public var scalarCount: Int { shape.reduce(1, *) }
  /// Whether this is a single number, without axes.
  public var isScalar: Bool { shape.isEmpty }
  /// The type of the elements.
  public var scalarType: any MLTensorScalar.Type { element.scalarType }

  init(_ node: TensorNode, shape: [Int], element: ElementType) {
    self.node = node
    self.shape = shape
    self.element = element
  }

  /// A tensor of elements of any type in row-major order.
  init(bytes: UnsafeRawBufferPointer, shape: [Int], element: ElementType) {
    precondition(
      checkedElementCount(of: shape) != nil, "A tensor cannot have the shape \(shape).")
    let held: Shape = Self.held(shape)
    self.init(
      TensorNode(
        TensorType(held, element.heldInTensors), .values(TensorValues(bytes, element, held))),
      shape: shape, element: element)
  }

  /// The shape in graphs, where nothing is without axes.
  static func held(_ shape: [Int]) -> Shape { shape.isEmpty ? [1] : Shape(shape) }

  /// Computes the tensor, and what it is made of.
  ///
  /// - Parameter scalarType: The type of the array's elements, to which those of the tensor are converted. Elements of
  ///   type `UInt32` keep their bits as `Int32`.
  public func shapedArray<Scalar>(of scalarType: Scalar.Type) async -> MLShapedArray<Scalar>
  where Scalar: MLShapedArrayScalar, Scalar: MLTensorScalar {
    let array: MLMultiArray = await values().array
    guard element == .uint32, Scalar.self != Int32.self else {
      return MLShapedArray<Scalar>(converting: array).reshaped(to: shape)
    }
    // uint32 is held as the int32 of the same bits.
    let numbers: [Double] = array.numbers.map { Double(UInt32(bitPattern: Int32($0))) }
    return MLShapedArray<Scalar>(
      scalars: numbers.map { Scalar._converted(from: $0) }, shape: shape)
  }

  /// The values. They do not depend on anything that may go missing: what fails is a mistake of the
  /// program's, such as an index that does not exist, or memory that the system does not give.
  func values() async -> TensorValues {
    let node: TensorNode = node
    if case .values(let known) = node.source { return known }
    do {
      return try await BackgroundWork.result {
        HandedOver(try translatingErrors { try node.values() })
      }
    } catch {
      fatalError("A tensor of shape \(shape) cannot be computed: \(error)")
    }
  }
}

extension MLTensor {
  /// What an operator makes of tensors.
  ///
  /// - Parameters:
  ///   - shape: the shape of the result; that of the operator's output unless told otherwise.
  ///   - isExact: whether a `float16` holds the results anyway, so that nothing is to be rounded.
  static func make(
    _ operation: any Operator, of inputs: [MLTensor], element: ElementType, shape: [Int]? = nil,
    output: Int = 0, isExact: Bool = false
  ) -> MLTensor {
    make(
      TensorOperation(operation, inputs.map(\.node)), element: element,
      shape: shape ?? (inputs.allSatisfy(\.isScalar) && !inputs.isEmpty ? [] : nil),
      output: output, isExact: isExact)
  }

  /// One of the outputs of an operator.
  static func make(
    _ made: TensorOperation, element: ElementType, shape: [Int]? = nil, output: Int,
    isExact: Bool = false
  ) -> MLTensor {
    let result = MLTensor(
      TensorNode(made.types[output], .made(made, output: output)),
      shape: shape ?? made.types[output].shape.dimensions, element: element)
    guard element == .float16, !isExact else { return result }
    return make(
      RoundOperator(to: .float16), of: [result], element: element, shape: result.shape,
      isExact: true)
  }

  /// The axis with a negative one counted from the end.
  func axis(_ axis: Int) -> Int {
    precondition(
      (-rank..<rank).contains(axis), "A tensor of shape \(shape) has no axis \(axis).")
    return axis < 0 ? axis + rank : axis
  }
}

extension MLTensor: CustomStringConvertible {
  /// Shape and type; the elements may not be known yet.
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }
}
