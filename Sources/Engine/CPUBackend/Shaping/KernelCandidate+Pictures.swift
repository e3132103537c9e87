import Backends
import CKernels
import Graph
import Operators

/// A tensor as a batch of images for our own kernels. Dense planes count as images of one channel.
package struct PictureBatch: Sendable {
  package let batch: Int64
  package let height: Int64
  package let width: Int64
  package let channels: Int64

  package init(_ form: TensorDescriptor) {
    let shape: Shape = form.shape
    let isInterleaved: Bool = form.layout == .channelsLast && shape.rank >= 3
    let imageRank: Int = isInterleaved ? 3 : 2
    batch = Int64(shape.product(0..<shape.rank - imageRank))
    channels = isInterleaved ? Int64(shape[-3]) : 1
    height = Int64(shape[-2])
    width = Int64(shape[-1])
  }
}

extension KernelCandidate {
  /// Adds padding. The output follows the input's layout and type.
  package static func padding(_ layer: PaddingOperator) -> KernelCandidate {
    KernelCandidate("native padding", elements: layer.elementTypesOfPadding) { request in
      .picture(request, readsBytes: true) { pictures, type, input, output in
        var value: Float = 0
        let mode: ck_padding
        switch layer.mode {
        case .constant(let constant):
          value = constant
          mode = CK_PAD_CONSTANT
        case .reflection: mode = CK_PAD_REFLECTION
        case .replication: mode = CK_PAD_REPLICATION
        }
        let amounts: EdgeAmounts = layer.amounts
        return ck_pad(
          mode, value, type, input, output, pictures.batch, pictures.height, pictures.width,
          pictures.channels, Int64(amounts.top), Int64(amounts.left), Int64(amounts.bottom),
          Int64(amounts.right))
      }
    }
  }

  /// Repeats pixels. The output follows the input's layout and type.
  package static func nearest(rows: Int, columns: Int) -> KernelCandidate {
    KernelCandidate("native nearest upsampling") { request in
      .picture(request, readsBytes: true) { pictures, type, input, output in
        ck_upsample_nearest(
          type, input, output, pictures.batch, pictures.height, pictures.width,
          pictures.channels, Int64(rows), Int64(columns))
      }
    }
  }

  /// Interpolates bilinearly at the points of a grid. The output follows the input's layout and type. Coordinates are
  /// computed in `float32`.
  package static func bilinear(grid: SamplingGrid) -> KernelCandidate {
    KernelCandidate("native bilinear resizing") { request in
      let output: Shape = request.outputs[0].shape
      let input: Shape = request.inputs[0].shape
      let rows = grid.line(extent: input[-2], count: output[-2])
      let columns = grid.line(extent: input[-1], count: output[-1])
      let height = Int64(output[-2])
      let width = Int64(output[-1])
      return .picture(request) { pictures, type, input, output in
        ck_resize_bilinear(
          type, input, output, pictures.batch, pictures.height, pictures.width,
          pictures.channels, height, width, rows.scale, rows.offset, columns.scale,
          columns.offset)
      }
    }
  }
}

extension PaddingOperator {
  /// The types that the kernel supports. With a constant other than 0, the kernel supports only `float32`.
  fileprivate var elementTypesOfPadding: ElementTypes {
    if case .constant(let value) = mode, value != 0 { return [.float32] }
    return .fourBytes
  }
}

extension Kernel {
  /// Makes a kernel that reads a batch of images and writes a batch of images in the same layout and type.
  fileprivate static func picture(
    _ request: KernelRequest, readsBytes: Bool = false,
    call:
      @escaping @Sendable (
        PictureBatch, ck_type, UnsafeMutableRawPointer, UnsafeMutableRawPointer
      ) -> Int32
  ) -> Kernel? {
    let source: TensorDescriptor = readsBytes ? request.followedInBytes() : request.followed()
    let target = TensorDescriptor(request.outputs[0].shape, source.storage, source.layout)
    guard source.shape.rank >= 2, source.shape.count > 0, target.shape.count > 0 else {
      return nil
    }
    let pictures = PictureBatch(source)
    // Only kernels that move elements get integers. They read integers as float32 and move the bits unchanged.
    let type: ck_type = source.storage == .int32 ? CK_F32 : source.kernelType
    let step = ClosureStep { memory in
      // Safe: the planner supplies memory in the kernel's forms.
      requireNative(
        call(pictures, type, memory.inputs[0], memory.outputs[0]))
    }
    return Kernel(step, inputs: [source], outputs: [target])
  }
}

extension SamplingGrid {
  /// Returns the grid of an axis as a linear function. Point *i* has the coordinate `i · scale + offset`, clamped to
  /// the axis.
  package func line(extent: Int, count: Int) -> (scale: Float, offset: Float) {
    let pixels = Double(extent)
    let points = Double(count)
    switch self {
    case .strictAlignEndpoints:
      return (count == 1 ? 0 : Float((pixels - 1) / (points - 1)), 0)
    case .alignEndpoints:
      return count == 1
        ? (0, Float((pixels - 1) / 2)) : (Float((pixels - 1) / (points - 1)), 0)
    case .upsample:
      return (Float(pixels / points), 0)
    case .regionOfInterest:
      let spacing: Double = max(1, pixels - 1) / points
      return (Float(spacing), Float(spacing / 2))
    case .pixelCentres:
      return (Float(pixels / points), Float(0.5 * pixels / points - 0.5))
    }
  }
}
