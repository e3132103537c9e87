import Backends
import CKernels
import Graph
import Operators

/// Products with dynamic quantisation: rows are quantised to int8 while the model runs, and multiplied by a constant
/// matrix of 8-bit or 4-bit integers. `ck_dynamic_product` says how.
extension KernelCandidate {
  /// Returns the candidate for the product of rows with a constant matrix `[columns, inner]`, followed by an epilogue.
  /// It fits only if the request asks for dynamic quantisation, and then the planner uses it wherever it fits.
  static func dynamicProduct(_ epilogue: [Epilogue]) -> KernelCandidate {
    dynamicProduct(epilogue) { RowsProduct($0) }
  }

  /// Returns the candidate for a product with a constant matrix, which `product` describes.
  static func dynamicProduct(
    _ epilogue: [Epilogue] = [],
    _ product: @escaping @Sendable (KernelRequest) throws -> RowsProduct?
  ) -> KernelCandidate {
    KernelCandidate("matrix product with dynamic quantisation", skipsTiming: true) { request in
      guard request.usesDynamicQuantization else { return nil }
      let own: Int = request.inputs.count - epilogue.inputCount
      guard let steps = ImageEpilogue(epilogue, inputsFrom: own),
        let product = try product(request.withoutInputs(from: own))
      else { return nil }
      return DynamicProduct(
        rows: product.rows, inner: product.inner, columns: product.columns,
        isTransposed: product.isMatrixTransposed, biasInput: product.hasBias ? 2 : nil,
        layout: .dense
      ).kernel(request, steps)
    }
  }
}

extension FusedConvolution {
  /// The candidate for a 1 × 1 convolution: a product whose rows are the pixels.
  var dynamicKernel: KernelCandidate {
    KernelCandidate("1 × 1 convolution with dynamic quantisation", skipsTiming: true) { request in
      guard request.usesDynamicQuantization, core.kernel == Pair(1, 1), core.stride == Pair(1, 1),
        core.groups == 1, !core.isDeconvolution, upsampling == 1, inputNorm == nil,
        !takesStatistics, let steps, steps.factorsInput == nil
      else { return nil }
      let (source, destination) = (request.inputs[0].shape, request.outputs[0].shape)
      guard source.rank >= 3, source.count * core.outputChannels == destination.count * source[-3],
        source[-1] == destination[-1], source[-2] == destination[-2], source.count > 0
      else { return nil }
      return DynamicProduct(
        rows: source.count / source[-3], inner: source[-3], columns: core.outputChannels,
        isTransposed: true, biasInput: core.biasInput, layout: .channelsLast
      ).kernel(request, steps)
    }
  }
}

/// The sizes of a product with dynamic quantisation.
private struct DynamicProduct {
  let rows: Int, inner: Int, columns: Int
  /// Whether the matrix is `[columns, inner]`. Otherwise, it is `[inner, columns]`.
  let isTransposed: Bool
  /// The position of the bias among the inputs; nil for none.
  let biasInput: Int?
  /// The layout of the rows and of the result.
  let layout: Layout

  /// Makes the kernel. Nil if the matrix is not constant, if our kernels do not have the function, or if the residual
  /// has another shape than the result.
  func kernel(_ request: KernelRequest, _ steps: ImageEpilogue) -> Kernel? {
    guard let matrix: Constant = request.constant(1), let function = steps.uniformFunction,
      steps.factorsInput == nil
    else { return nil }
    let output = TensorDescriptor(request.outputs[0].shape, .float32, layout)
    if let residual = steps.residual {
      guard residual.offset == CropOperator.Offset(),
        request.inputs[residual.input].shape == output.shape
      else { return nil }
    }
    var product = ck_dynamic_product()
    (product.rows, product.inner, product.columns) = (Int64(rows), Int64(inner), Int64(columns))
    (product.activation, product.alpha, product.beta) = function
    product.rounds = steps.rounds ? 1 : 0
    let integers = isTransposed ? StoredIntegers(matrix, columns: columns, inner: inner) : nil
    product.bits = Int32(integers?.bits ?? 8)
    product.block = Int64(integers?.block ?? inner)
    guard ck_dynamic_product_suits(&product) != 0 else { return nil }
    let packed: PackedWeight = weights(product, matrix, integers, request.weights)
    let bias: PackedWeight? =
      biasInput.flatMap { request.constant($0) }.map { request.weights.floats(of: [$0]) }
    var inputs: [TensorDescriptor?] = request.inputs.map { TensorDescriptor($0.shape) }
    inputs[0] = TensorDescriptor(request.inputs[0].shape, .float32, layout)
    inputs[1] = nil
    if let biasInput, bias != nil { inputs[biasInput] = nil }
    if let residual = steps.residual { inputs[residual.input] = output }
    let step = DynamicProductStep(
      product, packed, bias: biasInput.map { StepOperand(bias, or: $0) },
      residual: steps.residual?.input)
    return Kernel(
      step, inputs: inputs, outputs: [output], weights: [packed, bias].compactMap { $0 },
      scratchByteCount: ck_dynamic_product_scratch_bytes(&product),
      inPlaceInput: steps.residual?.input)
  }

  /// Packs integers as the file stores them, or quantises other matrices with one scale per column.
  private func weights(
    _ product: ck_dynamic_product, _ matrix: Constant, _ integers: StoredIntegers?,
    _ weights: PackedWeights
  ) -> PackedWeight {
    var product: ck_dynamic_product = product
    let form =
      "\(product.bits) bits in blocks of \(product.block) and panels of "
      + "\(ck_dynamic_product_panel())\(isTransposed ? "" : ", transposed")"
    let byteCount = ck_dynamic_product_weights_bytes(&product)
    return weights.weight(form, of: [matrix], byteCount: byteCount) {
      [product, isTransposed] memory in
      let status: Int32
      if let integers {
        status = try integers.pack(product, into: memory)
      } else {
        status = try matrix.withFloats { values in
          // Safe: shape inference checked the number of values, and the memory has the size of the packed weights.
          withUnsafePointer(to: product) { product in
            values.baseAddress.map {
              ck_dynamic_product_pack(product, $0, isTransposed ? 1 : 0, memory)
            } ?? -1
          }
        }
      }
      requireNative(status)
    }
  }
}

/// A matrix `[columns, inner]` that a file stores as integers of 8 or 4 bits with scales.
private struct StoredIntegers: Sendable {
  let bits: Int
  /// The number of elements of the inner dimension with one scale.
  let block: Int
  private let kind: ck_stored_kind
  private let columns: Int, inner: Int
  private let elements: StoredValues
  private let scale: Constant
  private let zero: Constant?

  /// Nil for other stored forms, and if the blocks of a zero point differ from those of the scales. `matrix` may have
  /// more axes, of length 1.
  init?(_ matrix: Constant, columns: Int, inner: Int) {
    guard case .affine(let numbers, let scaled)? = matrix.stored?.meaning,
      matrix.shape.rank >= 2, matrix.shape[0] == columns, matrix.shape[1] == inner,
      let elements = numbers.stored, let element = elements.plainElement,
      elements.byteCount == element.byteCount(of: matrix.count)
    else { return nil }
    switch element {
    case .int8, .int4: kind = CK_STORED_SIGNED
    case .uint8, .uint4: kind = CK_STORED_UNSIGNED
    default: return nil
    }
    bits = element.bitCount
    let groups: Shape = scaled.scale.shape
    guard groups.rank == matrix.shape.rank, groups[0] > 0, groups[1] > 0, columns % groups[0] == 0,
      inner % groups[1] == 0, inner * bits % 8 == 0
    else { return nil }
    if let zero = scaled.zero {
      guard zero.shape == groups, zero.stored?.plainElement == element else { return nil }
    }
    block = inner / groups[1]
    (self.columns, self.inner) = (columns, inner)
    (self.elements, scale, zero) = (elements, scaled.scale, scaled.zero)
  }

  /// Packs the integers, scales and zero points for the product.
  func pack(_ product: ck_dynamic_product, into memory: UnsafeMutableRawPointer) throws -> Int32 {
    let scales: [Float] = try scale.floats()
    let zeros: [Float]? = try zero?.floats()
    let status: Int32? = elements.withPlainBytes { bytes in
      var matrix = ck_stored_matrix()
      matrix.kind = kind
      matrix.bits = Int32(bits)
      (matrix.columns, matrix.inner) = (Int64(columns), Int64(inner))
      matrix.elements = bytes.baseAddress
      matrix.scale_columns = Int64(columns / scale.shape[0])
      matrix.scale_inner = Int64(block)
      return withUnsafePointer(to: product) { product in
        scales.withUnsafeBufferPointer { scales in
          guard let zeros else {
            return ck_dynamic_product_pack_stored(
              product, &matrix, scales.baseAddress, nil, memory)
          }
          return zeros.withUnsafeBufferPointer {
            ck_dynamic_product_pack_stored(
              product, &matrix, scales.baseAddress, $0.baseAddress, memory)
          }
        }
      }
    }
    return status ?? -1
  }
}

/// Runs a product with dynamic quantisation.
private final class DynamicProductStep: Step, @unchecked Sendable {
  private let product: ck_dynamic_product
  private let weights: PackedWeight
  private let bias: StepOperand?
  private let residual: Int?

  init(
    _ product: ck_dynamic_product, _ weights: PackedWeight, bias: StepOperand?, residual: Int?
  ) {
    self.product = product
    self.weights = weights
    self.bias = bias
    self.residual = residual
  }

  override var detail: String {
    "\(product.bits)-bit weights"
      + (product.block < product.inner ? " in blocks of \(product.block)" : "")
  }

  override func run(_ memory: StepMemory) throws {
    func floats(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Float> {
      // Safe: the kernel takes float32, and shape inference checked the numbers of values.
      pointer.assumingMemoryBound(to: Float.self)
    }
    let status: Int32 = withUnsafePointer(to: product) { product in
      ck_dynamic_product_run(
        product, floats(memory.inputs[0]), weights.pointer,
        bias.map { UnsafePointer(floats($0.pointer(memory))) },
        residual.map { UnsafePointer(floats(memory.inputs[$0])) }, floats(memory.outputs[0]),
        memory.scratch)
    }
    requireNative(status)
  }
}
