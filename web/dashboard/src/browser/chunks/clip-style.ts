import { addStyle } from '@recording-request/web-shared/browser/style';
import style from '../clip.css';

addStyle(style);
