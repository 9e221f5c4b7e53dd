// The icons of the site, by their meaning. Only those named here are shipped.
import {
  Activity,
  ArrowLeftRight,
  Bell,
  ChartColumn,
  ClipboardList,
  Clock,
  CreditCard,
  Ellipsis,
  Gauge,
  History,
  KeyRound,
  LayoutDashboard,
  LogOut,
  Menu,
  Monitor,
  Moon,
  ScrollText,
  Search,
  Server,
  Sun,
  UserRound,
  UsersRound,
} from "lucide";

/** All of them. */
export const ICONS = {
  accounts: UsersRound,
  account: UserRound,
  actions: Ellipsis,
  activity: History,
  alerts: Bell,
  audit: ClipboardList,
  calls: ScrollText,
  console: ArrowLeftRight,
  dark: Moon,
  keys: KeyRound,
  light: Sun,
  live: Activity,
  menu: Menu,
  operations: Gauge,
  overview: LayoutDashboard,
  requests: Clock,
  search: Search,
  server: Server,
  signOut: LogOut,
  subscriptions: CreditCard,
  system: Monitor,
  usage: ChartColumn,
} as const;

/** The name of an icon. */
export type IconName = keyof typeof ICONS;
