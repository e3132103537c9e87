import Foundation
import Service

/// The options of a studio.
public struct StudioOptions: Sendable {
  /// The IP address to listen on.
  public var address = "127.0.0.1"
  /// The port. 0 lets the system choose one.
  public var port: UInt16 = 8417
  /// The token that clients must send. Nil lets clients connect without a token, which is only allowed for a loopback
  /// address.
  public var token: String?
  /// The address at which a proxy publishes the studio. Nil without a proxy.
  public var publicAddress: PublicAddress?
  /// The certificate for encrypted connections. Nil for connections without encryption.
  public var certificate: ServerCertificate?
  /// A folder with more models for the studio to offer. Nil for none.
  public var models: URL?
  /// The folder for trainings and their results.
  public var data: URL = StudioOptions.defaultData
  /// The maximum number of pixels of a picture.
  public var pixels = 64_000_000
  /// The maximum number of bytes of a picture's file.
  public var pictureBytes = 48 << 20
  /// The maximum number of bytes of a model's file.
  public var modelBytes = 384 << 20
  /// The maximum number of bytes of a film's file.
  public var filmBytes = 384 << 20
  /// The maximum number of bytes in memory for bodies, waiting photos, messages and responses together.
  public var waitingBytes = 512 << 20
  /// The time limit of a prediction, in seconds.
  public var predictionSeconds: Double = 300
  /// How long the studio waits for open requests when it ends, in seconds.
  public var grace = 25.0
  /// A limit for the resident memory of the process, in bytes. Above the limit, the studio closes models that were idle
  /// for 2 s.
  public var idleMemoryLimit = 1 << 30
  /// The program that the studio starts as a worker for untrusted models, with the command ``StudioWorker/command``. By
  /// default it is the running program.
  public var program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

  /// Creates the default options.
  public init() {}

  /// The default of ``data``: `$XDG_DATA_HOME/atelier/studio`, or `~/.local/share/atelier/studio`.
  public static var defaultData: URL {
    let environment = ProcessInfo.processInfo.environment
    let base: URL =
      environment["XDG_DATA_HOME"].flatMap { path in
        path.hasPrefix("/") ? URL(fileURLWithPath: path, isDirectory: true) : nil
      }
      ?? URL(
        fileURLWithPath: environment["HOME"] ?? NSHomeDirectory(), isDirectory: true
      ).appendingPathComponent(".local/share", isDirectory: true)
    return base.appendingPathComponent("atelier/studio", isDirectory: true)
  }
}
