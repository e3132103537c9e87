import Graph
import ModelFormat

/// Runs one of two networks: the first when the magnitude of the condition is more than 10⁻⁶, else
/// the second, if there is one.
///
/// Both read and write names of the network around. A name that the network taken does not write
/// stays what it was.
///
/// - Input: one number; of several the first counts. No outputs.
/// - Throws: when the condition is empty; when no first network is given.
///
/// **Source:** `BranchLayerParams`.
public struct BranchOperator: ControlFlowOperator, Layer {
  public static let declaration = OperatorDeclaration(
    "Branch", specification: "branch", summary: "runs one of two networks")

  private let condition: String
  private let ifBranch: Block
  private let elseBranch: Block?
  private let wiring: BlockWiring

  public init(decoding decoder: LayerDecoder) throws {
    guard case .branch(let message)? = decoder.message.layer else {
      throw decoder.notA("branch")
    }
    try decoder.requireInputs(1...1)
    guard let ifBranch = message.ifBranch else {
      throw decoder.invalid("the branch has no network to run when its condition is true.")
    }
    condition = decoder.message.input[0]
    self.ifBranch = try Block(ifBranch, in: decoder.network)
    elseBranch = try message.elseBranch.map { try Block($0, in: decoder.network) }
    wiring = BlockWiring([self.ifBranch] + [elseBranch].compactMap { $0 }, mayMakeOwn: false)
  }

  public var blocks: [Block] { [ifBranch] + [elseBranch].compactMap { $0 } }
  public var captures: [Block.Capture] { wiring.captures }
  public var writes: [String] { wiring.writes }

  public func execute<Runner: BlockRunner>(
    _ inputs: [Runner.Tensor?], with runner: Runner
  ) throws -> BlockResult<Runner.Tensor> {
    guard let first = inputs.first, let value = first else {
      throw EngineError(
        .invalidModel, "no layer has made its condition '\(condition)' on the way that was taken.")
    }
    var values = BlockWiring.Values<Runner>(wiring, captures: inputs.dropFirst())
    let isTaken = try isTrue(value, "the condition '\(condition)'", with: runner)
    var exit = BlockExit.end
    if let block = isTaken ? ifBranch : elseBranch {
      exit = try values.run(block, with: runner)
    }
    return BlockResult(values.written, exit)
  }
}
