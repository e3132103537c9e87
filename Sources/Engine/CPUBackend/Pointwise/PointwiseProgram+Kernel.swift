import Operators
import Backends
import CKernels
import Graph

extension PointwiseProgram {
  /// Returns the candidate that runs this program. The operator's only output has the broadcast shape of its inputs.
  public func candidate(_ name: String) -> KernelCandidate {
    KernelCandidate(name) { request in try kernel(for: request) }
  }

  /// Makes the kernel for a request. Nil if the request exceeds the limits of `ck_elementwise.h`.
  ///
  /// The output's form follows the inputs that have the output's shape. If one of these inputs is channels-last, the
  /// output is channels-last. If one of these inputs is `bfloat16` and the plan allows `bfloat16`, the output is
  /// `bfloat16`. Programs read bytes if the input is stored as bytes, and write bytes if their results are bytes.
  /// Inputs of other shapes, such as one value per channel, are read in their own form. The output may take over the
  /// memory of an input.
  public func kernel(for request: KernelRequest) throws -> Kernel? {
    let output = request.outputs[0].shape
    guard request.inputs.count == inputCount, fitsKernel,
      output.dimensions.count(where: { $0 != 1 }) <= Int(CK_MAX_RANK),
      !operations.isEmpty
    else { return nil }

    let large = request.inputs.filter { $0.shape.count == output.count }
    let isChannelsLast = large.contains { $0.layout == .channelsLast && !$0.isOrderFree }
    let layout: Layout = isChannelsLast && output.rank >= 3 ? .channelsLast : .dense
    let isBFloat16 = request.precision == .bfloat16 && large.contains { $0.storage == .bfloat16 }
    let target = TensorDescriptor(
      output, makesBytes ? .uint8 : isBFloat16 ? .bfloat16 : .float32, layout)
    let inputs: [TensorDescriptor] = request.inputs.enumerated().map { position, offered in
      var form = offered
      if request.isHeldInBytes(position) {
        form.storage = .uint8
      } else if offered.storage != .bfloat16 {
        form.storage = .float32
      }
      let sameShape = offered.shape == output
      if offered.shape.count == output.count, !offered.isOrderFree, offered.layout != layout {
        form.layout = sameShape || offered.shape.rank >= 3 ? layout : .dense
      }
      return form
    }
    guard let step = try PointwiseStep(self, inputs: inputs, output: target) else { return nil }
    let reusable = inputs.firstIndex {
      $0.shape.count == output.count && $0.storage == target.storage
        && ($0.layout == target.layout || $0.isOrderFree) && $0.shape == output
    }
    return Kernel(
      step, inputs: inputs, outputs: [target], inPlaceInput: reusable, readsElementwise: true)
  }
}
